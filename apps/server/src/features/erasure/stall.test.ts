import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { userRef } from "../../domain/ids.ts";

const house = testHouse();

/** Runs `act` while another transaction locks the row and the deliveries of a user, as a long erasure or a stopped process would. */
async function whileLocked(
  { projectId }: TestProject,
  userId: string,
  act: () => Promise<void>,
): Promise<void> {
  const holder = await house.database.pool.connect();
  try {
    await holder.query("begin");
    for (const lock of [
      "select from users where project_id = $1 and user_key = $2 for update",
      "select from deliveries where project_id = $1 and user_key = $2 for update",
    ]) {
      const { rowCount } = await holder.query(lock, [projectId, userRef(projectId, userId).userKey]);
      assert.ok(rowCount);
    }
    await act();
  } finally {
    await holder.query("rollback");
    holder.release();
  }
}

/** The requests of a page for a user: an event, traits, a feedback, and the messages. */
const visit = (project: TestProject, userId: string, deliveryId: string): Promise<unknown>[] => [
  project.sdk.track({ body: { userId, event: "looked" } }),
  project.sdk.identify({ body: { userId, traits: { seats: 1 } } }),
  feedback(project, deliveryId, userId, "shown"),
  messagesOf(project, userId),
];

describe("a user whose rows are held", () => {
  it("holds up nobody else, of any project, and is answered once it is free", async () => {
    const [project, stranger] = [await house.project(), await house.project()];
    const deliveries = new Map<string, string>();
    for (const at of [project, stranger]) {
      await launchCampaign(at);
      for (const userId of ["anna", "ben"]) {
        const [message] = await messagesOf(at, userId);
        deliveries.set(at.projectId + userId, message?.deliveryId ?? "");
      }
      // Another campaign, whose deliveries do not exist yet, so that asking for messages writes.
      await launchCampaign(at);
    }
    const idOf = (at: TestProject, userId: string) => deliveries.get(at.projectId + userId) ?? "";
    let answered = 0;
    let annas: Promise<unknown>[] = [];
    await whileLocked(project, "anna", async () => {
      annas = visit(project, "anna", idOf(project, "anna")).map((request) =>
        request.finally(() => {
          answered++;
        }),
      );
      // These requests share statements with Anna's, and the statements after.
      for (let round = 0; round < 3; round++) {
        await Promise.all([
          ...visit(project, "ben", idOf(project, "ben")),
          ...visit(stranger, "anna", idOf(stranger, "anna")),
          project.sdk.track({ body: { userId: `new ${round}`, event: "looked" } }),
        ]);
      }
      assert.equal(answered, 0);
    });
    await Promise.all(annas);
    const { events } = await project.api.listUserEvents({ path: { id: "anna" } });
    assert.deepEqual(
      events.map(({ name }) => name),
      ["looked"],
    );
    assert.deepEqual(await house.differences(), {});
  });
});
