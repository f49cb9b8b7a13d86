import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { until } from "../../../../test/commands/spawned.ts";
import { setSettings } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { active, BELIEVED_MS, loneProject, usageOf } from "../../../../test/usage.ts";
import { DAY_MS, HOUR_MS } from "../../../platform/time/clock.ts";

const house = testHouse();

type Item = Input<"trackBatch">["body"]["events"][number];

/** Has a server send events with their times; none may be refused. */
async function bring({ api }: TestProject, events: readonly Item[]): Promise<void> {
  const { ok, refused, results } = await api.trackBatch({ body: { events: [...events] } });
  assert.deepEqual([ok, refused], [events.length, 0], JSON.stringify(results));
}

const paid = (userId: string, ts: number): Item => ({ userId, event: "paid", ts });
const countOf = async (project: TestProject): Promise<number> => (await usageOf(project)).activeUsers;
const seenAt = async ({ api }: TestProject, id: string): Promise<number[]> => {
  const { user } = await api.getUser({ path: { id } });
  return [user.firstSeenAt, user.lastSeenAt];
};
const assertSound = async () => assert.deepEqual(await house.differences(), {});

describe("an event from before the current period", () => {
  it("makes its user known and nobody active, to the millisecond of the turn", async () => {
    const start = Date.UTC(2026, 2, 1);
    house.at(start + 12 * HOUR_MS);
    const project = await loneProject(house);
    await bring(project, [
      paid("before", start - 1),
      paid("at", start),
      paid("both", start - 400 * DAY_MS),
      paid("both", start + 1),
      paid("long ago", start - 3_000 * DAY_MS),
      paid("long ago", start - 2_000 * DAY_MS),
    ]);
    assert.equal(await countOf(project), 2, "at, both");
    assert.deepEqual(await seenAt(project, "before"), [start - 1, start - 1]);
    assert.deepEqual(await seenAt(project, "both"), [start - 400 * DAY_MS, start + 1]);
    assert.deepEqual(await seenAt(project, "long ago"), [start - 3_000 * DAY_MS, start - 2_000 * DAY_MS]);
    await assertSound();
    await active(project, ["before"]);
    await bring(project, [paid("before", start - 5 * DAY_MS)]);
    assert.equal(await countOf(project), 3, "history takes nobody out");
    assert.deepEqual(await seenAt(project, "before"), [start - 5 * DAY_MS, house.now()]);
    await assertSound();
  });

  it("is judged by the period of the subscription, where there is one", async () => {
    house.at(Date.UTC(2026, 3, 20));
    const project = await loneProject(house);
    const start = Date.UTC(2026, 3, 10, 9, 30);
    await setSettings(house, project, {
      "org.billingStatus": "ok",
      "org.periodStart": new Date(start).toISOString(),
      "org.periodEnd": new Date(Date.UTC(2026, 4, 10, 9, 30)).toISOString(),
    });
    house.advance(BELIEVED_MS);
    await bring(project, [
      paid("before", start - 1),
      paid("at", start),
      paid("long ago", start - DAY_MS * 365),
    ]);
    assert.equal(await countOf(project), 1);
    await assertSound();
  });

  it("that comes after the turn counts in neither period", async () => {
    const turn = Date.UTC(2026, 5, 1);
    house.at(turn - 1);
    const project = await loneProject(house);
    await active(project, ["on time"]);
    house.advance(1);
    await bring(project, [paid("late", turn - 1)]);
    assert.equal(await countOf(project), 0);
    house.at(turn - 1);
    assert.equal(await countOf(project), 1, "on time");
    house.at(turn);
    await assertSound();
  });

  it("never closes serving, and is not billed", async () => {
    house.at(Date.UTC(2026, 6, 15));
    const project = await loneProject(house);
    await launchCampaign(project);
    await setSettings(house, project, { "org.priceTiers": "1", "org.spendCapUsd": "2" });
    const last = Date.UTC(2026, 6, 1) - 1;
    await bring(
      project,
      Array.from({ length: 100 }, (_, index) => paid(`user ${index}`, last - index)),
    );
    house.advance(BELIEVED_MS);
    const { serving, estimatedSpendUsd } = await usageOf(project);
    assert.deepEqual([serving, estimatedSpendUsd], ["ok", 0]);
    assert.equal((await messagesOf(project, "user 1")).length, 1);
  });

  it("converts whom it converts, and its metrics stand on its own day", async () => {
    house.at(Date.UTC(2026, 7, 28));
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Pay", targetEvent: "paid" } });
    const { id } = await launchCampaign(project, { goalId: goal.id });
    const shownAt = house.now();
    for (const userId of ["ann", "ben"]) {
      const [message] = await messagesOf(project, userId);
      await feedback(project, message?.deliveryId ?? "", userId, "shown");
    }
    house.at(Date.UTC(2026, 8, 3));
    await bring(project, [paid("ann", shownAt + DAY_MS), paid("ben", shownAt - 1)]);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    assert.deepEqual(
      deliveries.filter(({ convertedAt }) => convertedAt !== null).map((each) => each.externalUserId),
      ["ann"],
    );
    const { totals } = await project.api.getCampaignConversions({ path: { id }, query: { event: "paid" } });
    assert.equal(totals.convertedUsers, 1);
    const { days } = await project.api.getMetrics({ query: { range: "30d" } });
    assert.deepEqual(
      days.filter(({ events }) => events > 0).map(({ startAt, events }) => [startAt, events]),
      [Date.UTC(2026, 7, 27), Date.UTC(2026, 7, 29)].map((day) => [day, 1]),
    );
    await assertSound();
  });

  it("comes for a user who was erased as for a new one, though a process remembers them as active", async () => {
    house.at(Date.UTC(2026, 9, 10));
    const project = await loneProject(house);
    const before = Date.UTC(2026, 8, 20);
    await active(project, ["ann", "ben"]);
    for (const id of ["ann", "ben"]) await project.api.eraseUser({ path: { id } });
    await bring(project, [paid("ann", before), paid("ben", before), paid("ben", house.now())]);
    assert.equal(await countOf(project), 3, "two who were erased, and ben who came again");
    await assertSound();
    for (const id of ["ann", "ben"]) await project.api.eraseUser({ path: { id } });
    await assertSound();
  });

  it("stays what it is in an export", async () => {
    house.at(Date.UTC(2026, 10, 10));
    const project = await loneProject(house);
    await bring(project, [paid("ann", Date.UTC(2025, 1, 1)), paid("ben", house.now())]);
    const { project: copy } = await importText(house, await exportText(house, project.projectId));
    const own = (await usageOf(copy)).projects.find(({ id }) => id === copy.projectId);
    assert.equal(own?.activeUsers, 1);
    await assertSound();
  });
});

describe("an event of now", () => {
  it("counts in the period in which it came, though it is written after the turn", async () => {
    const turn = Date.UTC(2027, 0, 1);
    house.at(turn - 1);
    const project = await loneProject(house);
    await project.api.identifyBatch({ body: { users: [{ userId: "ann", firstSeenAt: turn - DAY_MS }] } });
    const holder = await house.database.pool.connect();
    try {
      await holder.query("begin");
      await holder.query("select from users where project_id = $1 for update", [project.projectId]);
      const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
      /** When each statement began that was seen waiting for the user. */
      const seen = new Set<string>();
      const hasWaited = (times: number) => async (): Promise<boolean> => {
        const found = await house.database.pool.query<{ since: string }>(
          "select query_start::text as since from pg_stat_activity where $1 = any(pg_blocking_pids(pid))",
          [rows[0]?.pid],
        );
        for (const { since } of found.rows) seen.add(since);
        return seen.size >= times;
      };
      const tracked = active(project, ["ann"]);
      await until(hasWaited(1), "the event waits for its user");
      house.at(turn);
      seen.clear();
      // The one that waits and the next one may both have been made before the turn; the third was not.
      await until(hasWaited(3), "its statement gave up twice, and waits again");
      await holder.query("commit");
      await tracked;
    } finally {
      holder.release(true);
    }
    assert.equal(await countOf(project), 0);
    house.at(turn - 1);
    assert.equal(await countOf(project), 1);
    house.at(turn);
    await assertSound();
  });
});
