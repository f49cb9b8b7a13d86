import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { rotateKey } from "./public.ts";

const house = testHouse();

const track = ({ sdk }: TestProject) => sdk.track({ body: { userId: "ada", event: "opened" } });

const rotate = ({ projectId }: TestProject) =>
  house.database.kysely
    .transaction()
    .execute((tx) => rotateKey(tx, projectId, "publishable", house.now(), 0));

/** Takes every connection over which keys are looked up, so that the database gives no answer. */
async function withoutAnswers<T>(act: () => Promise<T>): Promise<T> {
  const { pool } = house.database.lookups;
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    return await act();
  } finally {
    for (const client of taken) client.release();
  }
}

describe("a key that was known", () => {
  it("is refused within 5 seconds of its rotation, whether it was in use or not", async () => {
    for (const seconds of [[5], [3, 2], [1, 1, 1, 1, 1]]) {
      const project = await house.project();
      await track(project);
      await rotate(project);
      for (const each of seconds.slice(0, -1)) {
        house.advance(each * 1_000);
        // The remembered key may still be accepted, or not any more.
        await track(project).catch(() => undefined);
      }
      house.advance((seconds.at(-1) ?? 0) * 1_000);
      assert.equal((await refusal(track(project))).status, 401);
    }
  });

  it("is believed for a minute while the database does not answer, and looked up again when it does", async () => {
    const project = await house.project();
    await track(project);
    await rotate(project);
    await withoutAnswers(async () => {
      for (let times = 0; times < 5; times++) {
        house.advance(11_000);
        // Feedback needs no usage gate, which would read over the same connections after 5 seconds.
        const { status } = await refusal(
          project.sdk.sendDeliveryFeedback({
            path: { id: "del_none" },
            body: { userId: "ada", type: "shown", feedbackId: "f1" },
          }),
        );
        assert.equal(status, 404, "the key is not in question");
      }
      house.advance(6_000);
      assert.equal((await refusal(project.sdk.identify({ body: { userId: "ada" } }))).status, 503);
    });
    assert.equal((await refusal(track(project))).status, 401);
  });
});
