import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { countConversions } from "../../deliveries/store.ts";
import { retireOldEvents } from "./retire.ts";

const house = testHouse();
const USERS = ["anna", "ben", "cleo"];

const track = ({ sdk }: TestProject, userId: string, event: string, props: Record<string, unknown> = {}) =>
  sdk.track({ body: { userId, event, props } });

const retire = () => retireOldEvents(house.tidings.app);

/** A project that keeps events for ten days, with users who saw a message and did something, long ago and today. */
async function aged() {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
  const campaign = await launchCampaign(project, { goalId: goal.id });
  for (const userId of USERS) {
    await track(project, userId, "looked", { path: "/" });
    const [message] = await messagesOf(project, userId);
    await feedback(project, message?.deliveryId ?? "", userId, "shown");
    house.advance(1_000);
    await track(project, userId, "paid", { amount: 5 });
    await track(project, userId, "once", { [`only ${userId}`]: 1 });
  }
  house.advance(20 * DAY_MS);
  await track(project, "anna", "looked", { path: "/" });
  await track(project, "ben", "left");
  await setSettings(house, project, { "retention.eventsDays": "10" });
  return { project, campaign };
}

/** All numbers of a project that must stay the same when its events are deleted for their age. */
async function numbersOf({ api }: TestProject, id: string) {
  const conversions = [];
  for (const event of ["looked", "paid", "once", "left"])
    conversions.push((await api.getCampaignConversions({ path: { id }, query: { event } })).totals);
  const { capabilities } = await api.getAudienceCapabilities();
  const { evaluatedAt: _, ...metrics } = await api.getMetrics({ query: { range: "90d" } });
  return {
    conversions,
    metrics,
    stats: (await api.getCampaign({ path: { id } })).campaign.stats,
    events: capabilities.events,
    overview: (await api.getOverview()).eventsLast7d,
    users: (await api.getUsage()).activeUsers,
  };
}

const matching = async ({ api }: TestProject, node: object): Promise<number> =>
  (
    await api.checkAudience({
      body: { expression: { version: 1, root: { kind: "event", event: "paid", ...node } } },
    })
  ).matchedCount;

describe("retention.eventsDays", () => {
  it("deletes older events, and changes no number", async () => {
    const { project, campaign } = await aged();
    const before = await numbersOf(project, campaign.id);
    await retire();
    assert.deepEqual(await numbersOf(project, campaign.id), before);
    assert.deepEqual(await house.differences(), {});
    const { events, total } = await project.api.listEvents();
    assert.deepEqual([events.map(({ name }) => name).sort(), total], [["left", "looked"], 2]);
    assert.equal((await project.api.listEvents({ query: { name: "paid" } })).total, 0);
    assert.equal((await project.api.listUserEvents({ path: { id: "anna" } })).total, 1);
    // "Ever did it" still matches; conditions that read single events only find those that are left.
    assert.equal(await matching(project, {}), 3);
    assert.equal(await matching(project, { window: { amount: 30, unit: "days" } }), 0);
    await retire();
    assert.deepEqual(await numbersOf(project, campaign.id), before);
    await track(project, "anna", "paid");
    await track(project, "new", "paid");
    assert.equal(await matching(project, {}), 4);
    assert.deepEqual(await house.differences(), {});
  });

  it("leaves projects alone that keep their events, and events that are young", async () => {
    const { project } = await aged();
    await setSettings(house, project, { "retention.eventsDays": "" });
    await retire();
    assert.equal((await project.api.listEvents()).total, 11);
    await setSettings(house, project, { "retention.eventsDays": "21" });
    await retire();
    assert.equal((await project.api.listEvents()).total, 11);
  });

  it("goes through more than one piece, in which notes are folded or not", async () => {
    const project = await house.project();
    const send = (from: number) =>
      project.api.trackBatch({
        body: {
          events: Array.from({ length: 500 }, (_, index) => ({
            userId: `user ${index % 50}`,
            event: `event ${index % 3}`,
            eventId: `${from + index}`,
            props: { n: index, [`key ${index % 7}`]: "x" },
          })),
        },
      });
    for (let from = 0; from < 2_500; from += 500) {
      await send(from);
      if (from % 1_000 === 0) await project.api.getOverview();
    }
    house.advance(8 * DAY_MS);
    await setSettings(house, project, { "retention.eventsDays": "7" });
    await Promise.all([retire(), retire(), send(10_000)]);
    assert.deepEqual(await house.differences(), {});
    assert.equal((await project.api.listEvents()).total, 500);
    assert.equal((await project.api.getMetrics()).totals.events, 3_000);
    assert.deepEqual(await house.differences(), {});
  });

  it("leaves erasing a user what it was: nothing that leads to them, and numbers that agree", async () => {
    const { project, campaign } = await aged();
    await retire();
    const { conversions, stats } = await numbersOf(project, campaign.id);
    for (const userId of ["anna", "cleo"]) {
      await project.api.eraseUser({ path: { id: userId } });
      const after = await numbersOf(project, campaign.id);
      assert.deepEqual([after.conversions, after.stats], [conversions, stats]);
      assert.deepEqual(await house.differences(), {});
    }
    await project.api.eraseUser({ path: { id: "ben" } });
    await project.api.getOverview();
    assert.deepEqual(await house.differences(), {});
    for (const table of ["event_names", "event_days", "event_properties", "event_counts", "events"]) {
      const { rows } = await house.database.pool.query(`select from ${table} where project_id = $1`, [
        project.projectId,
      ]);
      assert.equal(rows.length, 0, table);
    }
    assert.equal((await refusal(project.api.getUser({ path: { id: "ben" } }))).status, 404);
  });

  it("counts a conversion by an event that is deleted, though its user does it again at this moment", async () => {
    const { project, campaign } = await aged();
    await retire();
    const instant = house.now();
    house.advance(1);
    await track(project, "ben", "paid");
    const campaignId = campaign.id.slice("cmp_".length);
    const question = { campaignId, event: "paid", evaluatedAt: instant };
    const [variant] = await countConversions(house.database.kysely, project.projectId, question);
    assert.equal(variant?.convertedUsers, 3);
  });

  it("comes along in an export", async () => {
    const { project, campaign } = await aged();
    await retire();
    await project.api.getOverview();
    const imported = await importText(house, await exportText(house, project.projectId));
    const { campaigns } = await imported.project.api.listCampaigns();
    const [before, after] = [
      await numbersOf(project, campaign.id),
      await numbersOf(imported.project, campaigns[0]?.id ?? ""),
    ];
    assert.deepEqual(after, before);
    assert.deepEqual(await house.differences(), {});
  });

  it("comes along in the export of an older version, as far as that knew it", async () => {
    const { project, campaign } = await aged();
    await retire();
    const { conversions } = await numbersOf(project, campaign.id);
    const lines = (await exportText(house, project.projectId)).trimEnd().split("\n");
    const [header, ...records] = lines.slice(0, -1).map((line) => JSON.parse(line));
    header.schema = "0078_revision_of_goals.sql";
    const isKept = (column: string) => column !== "retired_firsts";
    header.tables.event_counts = header.tables.event_counts.filter(isKept);
    for (const { type, row } of records) if (type === "event_counts") delete row.retired_firsts;
    const body = [header, ...records].map((line) => `${JSON.stringify(line)}\n`).join("");
    const { counts } = JSON.parse(lines.at(-1) ?? "");
    const end = JSON.stringify({ type: "end", counts, sha256: hash("sha256", body) });
    const older = await importText(house, `${body}${end}\n`);
    const { campaigns } = await older.project.api.listCampaigns();
    assert.deepEqual((await numbersOf(older.project, campaigns[0]?.id ?? "")).conversions, conversions);
    assert.deepEqual(await house.differences(), {});
  });
});
