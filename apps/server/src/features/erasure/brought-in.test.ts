import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startFile, uploadFile } from "../../../test/bringing.ts";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { untilWaiting } from "../../../test/waiting.ts";
import { defaultLimits } from "../../platform/limits.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/time/clock.ts";

const house = testHouse({ limits: { ...defaultLimits, eventsErasedAtOnce: 3 } });

/** Anna and Ben, with a trait that no file has; Anna was shown a campaign, and did something so many times. */
async function lived(times: number): Promise<TestProject> {
  const project = await house.project();
  await launchCampaign(project);
  for (const userId of ["anna", "ben"])
    await project.sdk.identify({ body: { userId, traits: { color: "red" } } });
  const [message] = await messagesOf(project, "anna");
  await feedback(project, message?.deliveryId ?? "", "anna", "shown");
  for (let i = 0; i < times; i++)
    await project.sdk.track({ body: { userId: "anna", event: "looked", eventId: `e${i}` } });
  return project;
}

async function annaOf({ api }: TestProject) {
  const path = { id: "anna" };
  const { user } = await api.getUser({ path });
  const { events } = await api.listUserEvents({ path });
  const { deliveries } = await api.listUserDeliveries({ path });
  return { traits: user.traits, did: events.map(({ name }) => name), deliveries: deliveries.length };
}

const PEOPLE = "id,plan,created_at\nanna,pro,2025-01-01\nben,free,2025-01-01\nclara,free,2025-01-01\n";
/** Anna has had an event `e0` before. */
const HISTORY =
  "id,event,timestamp,message_id\nanna,paid,2025-06-01,e0\nben,paid,2025-06-01,e0\nclara,paid,2025-06-01,e0\n";
const FILES = [
  ["users", PEOPLE, { traits: { plan: "pro" }, did: [], deliveries: 0 }],
  ["events", HISTORY, { traits: {}, did: ["paid"], deliveries: 0 }],
] as const;

/** Starts a file of three lines and erases Anna, so that the file waits for that. Answers what came of the file. */
async function bringWhileErasing(project: TestProject, kind: "users" | "events", file: string) {
  const id = await uploadFile(project, file, { kind });
  const holder = await house.database.pool.connect();
  try {
    await holder.query("begin");
    await holder.query("select from events where project_id = $1 for update", [project.projectId]);
    const erased = project.api.eraseUser({ path: { id: "anna" } });
    await untilWaiting(house, 1);
    const brought = startFile(house, project, id);
    await untilWaiting(house, 2);
    await holder.query("commit");
    await erased;
    return await brought;
  } finally {
    holder.release();
  }
}

describe("eraseUser of a user in a file", () => {
  for (const [kind, file, anna] of FILES) {
    it(`that is brought in later (${kind}) leaves one who is known anew, by what the file says alone`, async () => {
      const project = await lived(2);
      await project.api.eraseUser({ path: { id: "anna" } });
      const { activeUsers } = await project.api.getUserSummary();
      const brought = await startFile(house, project, await uploadFile(project, file, { kind }));
      assert.deepEqual([brought.state, brought.written, brought.refused], ["done", 3, 0]);
      assert.deepEqual(await annaOf(project), anna);
      assert.equal((await project.api.getUserSummary()).activeUsers, activeUsers);
      assert.deepEqual(await house.differences(), {});
    });

    it(`that is being brought in (${kind}) goes first, and nothing of before comes back`, async () => {
      const project = await lived(2);
      // An event that is there is compared, and waits for nothing.
      const brought = await bringWhileErasing(project, kind, file.replaceAll("e0", "new"));
      assert.deepEqual([brought.state, brought.lines, brought.written], ["done", 3, 3]);
      assert.deepEqual(await annaOf(project), anna);
      assert.deepEqual(await house.differences(), {});
    });

    it(`whose many events are deleted just after (${kind}) lets the file wait, and come in`, async () => {
      const project = await lived(12);
      const id = await uploadFile(project, file, { kind });
      await project.api.eraseUser({ path: { id: "anna" } });
      const waiting = await startFile(house, project, id);
      assert.deepEqual([waiting.state, waiting.lines, waiting.fault], ["running", 0, null]);
      house.advance(MINUTE_MS);
      await house.drain();
      const { import: brought } = await project.api.getImport({ path: { id } });
      assert.deepEqual([brought.state, brought.lines, brought.written], ["done", 3, 3]);
      assert.deepEqual(await annaOf(project), anna);
      assert.deepEqual(await house.differences(), {});
    });
  }

  it("after the file came in leaves nothing of that, and the file once more makes them known anew", async () => {
    const project = await house.project();
    const bring = async () => startFile(house, project, await uploadFile(project, PEOPLE, { kind: "users" }));
    await bring();
    await project.api.eraseUser({ path: { id: "anna" } });
    assert.equal((await refusal(project.api.getUser({ path: { id: "anna" } }))).status, 404);
    house.advance(DAY_MS);
    const { written, known } = await bring();
    assert.deepEqual([written, known], [1, 2]);
    assert.deepEqual(await house.differences(), {});
  });

  it("keeps mail away from an address that left, also where a file brings it again", async () => {
    const project = await house.project();
    const file = (left: string) => `id,email,unsubscribed\nanna,anna@example.com,${left}\n`;
    const bring = async (left: string) =>
      startFile(house, project, await uploadFile(project, file(left), { kind: "users" }));
    await bring("true");
    await project.api.eraseUser({ path: { id: "anna" } });
    await bring("false");
    const { rows } = await house.database.pool.query(
      "select suppressed_by as reason from email_addresses where project_id = $1 and suppressed_at is not null",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ reason: "unsubscribed" }]);
    assert.deepEqual(await house.differences(), {});
  });
});
