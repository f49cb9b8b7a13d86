import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { PoolClient } from "pg";
import { userRef } from "../src/domain/ids.ts";
import { newUuid } from "../src/platform/uuid.ts";
import { feedback, launchCampaign, messagesOf } from "./factories.ts";
import { type TestProject, testHouse } from "./harness.ts";
import { untilWaiting } from "./waiting.ts";

const house = testHouse();

afterEach(async () => assert.deepEqual(await house.differences(), {}));

/**
 * Sends a read while a table is locked that only its later statements need, changes rows while it waits there, and lets it go on.
 * @param table what only a later statement of the read needs
 * @param change what is committed between the statements of the read
 */
async function readDuring<T>(
  table: string,
  change: (tx: PoolClient) => Promise<unknown>,
  read: () => Promise<T>,
): Promise<T> {
  const holder = await house.database.pool.connect();
  try {
    await holder.query(`begin; lock table ${table} in access exclusive mode`);
    const reading = Promise.allSettled([read()]);
    await untilWaiting(house, 1);
    await change(holder);
    await holder.query("commit");
    const [read1] = await reading;
    if (read1.status === "rejected") throw read1.reason;
    return read1.value;
  } finally {
    holder.release();
  }
}

/** Records that a user who paid before paid once more, as tracking does. */
async function payAgain(tx: PoolClient, { projectId }: TestProject, userId: string, at: number) {
  const { lane, userKey } = userRef(projectId, userId);
  await tx.query(
    "insert into events (lane, user_key, event_id, project_id, name, props, ts) values ($1, $2, $3, $4, 'paid', '{}', $5)",
    [lane, userKey, newUuid(at), projectId, at],
  );
  await tx.query(
    "update event_counts set count = count + 1, last_at = $3 where lane = $1 and user_key = $2 and name = 'paid'",
    [lane, userKey, at],
  );
  const facts = JSON.stringify([["event", "paid", Math.floor(at / 86_400_000), [], 1, at]]);
  await tx.query("insert into rollup_deltas (lane, project_id, facts) values ($1, $2, $3)", [
    lane,
    projectId,
    facts,
  ]);
}

describe("a read of several statements sees one instant", () => {
  it("conversions of users who go on acting while they are counted", async () => {
    const project = await house.project();
    const campaign = await launchCampaign(project);
    for (const userId of ["ann", "ben", "cleo"]) {
      const [message] = await messagesOf(project, userId);
      await feedback(project, message?.deliveryId ?? "", userId, "shown");
      await project.sdk.track({ body: { userId, event: "paid" } });
    }
    // A user whose last event came after the instant has to be looked for among the events.
    house.advance(10);
    await project.sdk.track({ body: { userId: "cleo", event: "paid" } });
    house.advance(-5);
    const { totals } = await readDuring(
      "events",
      (tx) => payAgain(tx, project, "ann", house.now() + 1),
      () => project.api.getCampaignConversions({ path: { id: campaign.id }, query: { event: "paid" } }),
    );
    assert.deepEqual(totals, {
      exposedDeliveries: 3,
      exposedUsers: 3,
      convertedDeliveries: 3,
      convertedUsers: 3,
    });
  });

  it("an overview counts users and campaigns of the same moment", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    const launchAndMeet = async (tx: PoolClient) => {
      await tx.query("update campaigns set status = 'running' where id = $1", [id.slice(4)]);
      const { lane, userKey } = userRef(project.projectId, "ann");
      await tx.query("insert into users values ($1, $2, $3, 'ann', '{}', $4, $4)", [
        lane,
        userKey,
        project.projectId,
        house.now(),
      ]);
      await tx.query("insert into user_counts values ($1, 'users', 1)", [project.projectId]);
    };
    const { activeCampaigns, endUsers } = await readDuring("campaigns", launchAndMeet, () =>
      project.api.getOverview(),
    );
    assert.deepEqual([activeCampaigns, endUsers], [0, 0]);
  });

  it("a list has as many items as its total says", async () => {
    const project = await house.project();
    const campaigns = [await launchCampaign(project), await launchCampaign(project)];
    await messagesOf(project, "ann");
    const { lane, userKey } = userRef(project.projectId, "ann");
    const leave = (tx: PoolClient) =>
      tx.query("delete from deliveries where lane = $1 and user_key = $2 and campaign_id = $3", [
        lane,
        userKey,
        campaigns.pop()?.id.slice(4),
      ]);
    const theirs = await readDuring("variants", leave, () =>
      project.api.listUserDeliveries({ path: { id: "ann" } }),
    );
    assert.deepEqual([theirs.total, theirs.deliveries.length], [2, 2]);
    const [last] = campaigns;
    const all = await readDuring("variants", leave, () =>
      project.api.listCampaignDeliveries({ path: { id: last?.id ?? "" } }),
    );
    assert.deepEqual([all.total, all.deliveries.length], [1, 1]);
  });
});
