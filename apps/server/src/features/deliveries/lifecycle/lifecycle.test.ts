import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { toast } from "../../../../test/factories.ts";
import { sharedHouse, type TestProject } from "../../../../test/harness.ts";
import { type DeliveryRef, FIRST_OCCASION, userRef, uuidOf } from "../../../domain/ids.ts";
import { inTransaction } from "../../../platform/db/db.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { NO_SHAPE } from "../../counting/rollups/rules.ts";
import { recordEventsWithin } from "../../ingest/tracking/public.ts";
import { applyFeedback } from "../../web/feedback-store.ts";
import { recountStats } from "../counters-store.ts";
import { revertHits } from "./revert-store.ts";
import {
  ATTEMPT_EVENTS,
  afterGoalEvents,
  applyReported,
  DELIVERY_STATES,
  INSTANT_EVENTS,
  type Lifecycle,
  OF_SENDING,
  OF_WEB,
  revert,
} from "./rules.ts";
import { recordDeliveryEvents } from "./store.ts";

const house = sharedHouse();
const SEED = Number(process.env.SEED ?? 20_261_122);
const DELIVERIES = 600;
const GOAL_EVENT = "bought";

/** Few different instants, so that many events have equal ones. */
const T0 = Date.UTC(2026, 0, 10);
const instant = fc.integer({ min: T0, max: T0 + 5 });
const maybeInstant = fc.option(instant, { nil: undefined, freq: 1 });

/** Any delivery, including impossible ones: rules and SQL must agree on these as well. */
const lifecycle: fc.Arbitrary<Lifecycle> = fc
  .record({
    state: fc.constantFrom(...DELIVERY_STATES),
    instants: fc.tuple(...INSTANT_EVENTS.map(() => maybeInstant)),
    exposedAt: fc.option(instant, { freq: 1 }),
    goalEventAt: fc.option(instant, { freq: 1 }),
    deliveredReportedAt: fc.option(instant, { freq: 1 }),
  })
  .map(({ instants, ...rest }) => ({
    ...rest,
    at: Object.fromEntries(
      INSTANT_EVENTS.flatMap((event, n) => (instants[n] === undefined ? [] : [[event, instants[n]]])),
    ),
  }));

type Stored = { ref: DeliveryRef; lifecycle: Lifecycle };
type Campaign = { project: TestProject; campaignId: string };

async function makeCampaign(channel: "web_inapp" | "push"): Promise<Campaign> {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Buy", targetEvent: GOAL_EVENT } });
  const { campaign } = await project.api.createCampaign({
    body: { name: "Any", goalId: goal.id, message: toast() },
  });
  // The rules depend only on the channel of a campaign.
  await house.database.pool.query("update campaigns set channel = $1 where id = $2", [
    channel,
    uuidOf("cmp", campaign.id),
  ]);
  const campaignId = uuidOf("cmp", campaign.id);
  assert.ok(campaignId);
  return { project, campaignId };
}

const columnsOf = ({ state, at, exposedAt, goalEventAt, deliveredReportedAt }: Lifecycle) => [
  state,
  exposedAt,
  goalEventAt,
  deliveredReportedAt,
  ...INSTANT_EVENTS.map((event) => at[event] ?? null),
];
const COLUMNS = [
  "state",
  "exposed_at",
  "goal_event_at",
  "delivered_reported_at",
  ...INSTANT_EVENTS.map((event) => `${event}_at`),
];

/** Writes deliveries as they are, with their counters. */
async function store({ project, campaignId }: Campaign, lifecycles: readonly Lifecycle[]): Promise<Stored[]> {
  const { projectId } = project;
  const { pool, kysely } = house.database;
  const stored = lifecycles.map((each, n) => ({
    lifecycle: each,
    ref: { ...userRef(projectId, `user ${n}`), campaignId, occasion: FIRST_OCCASION, projectId },
  }));
  for (const { ref, lifecycle: each } of stored) {
    const values = [ref.lane, ref.userKey, campaignId, projectId, newUuid(T0), ...columnsOf(each)];
    await pool.query(
      `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, queued_at, ${COLUMNS.join(", ")})
      values (${["$1", "$2", "$3", "$4", "$5", "0", ...COLUMNS.map((_, n) => `$${n + 6}`)].join(", ")})`,
      values,
    );
  }
  await kysely.transaction().execute((tx) => recountStats(tx, projectId));
  return stored;
}

/** Deliveries as they are now, by user key. */
async function read({ project }: Campaign): Promise<Map<string, unknown[]>> {
  const { rows } = await house.database.pool.query(
    `select user_key, ${COLUMNS.join(", ")} from deliveries where project_id = $1`,
    [project.projectId],
  );
  return new Map(rows.map((row) => [row.user_key, COLUMNS.map((name) => row[name])]));
}

/** Asserts that each delivery is as the rules say, and that the counters equal the deliveries. */
async function compare(
  campaign: Campaign,
  expected: readonly Stored[],
  reports: readonly unknown[],
): Promise<void> {
  const found = await read(campaign);
  for (const [n, { ref, lifecycle: each }] of expected.entries())
    assert.deepEqual(
      found.get(ref.userKey),
      columnsOf(each),
      `delivery ${n}, seed ${SEED}, ${JSON.stringify(reports[n])}: ${COLUMNS.join(", ")}`,
    );
  const { rows } = await house.database.pool.query(
    `select ${INSTANT_EVENTS.map((event) => `sum(${event})::int as ${event}`).join(", ")} from campaign_stats where project_id = $1`,
    [campaign.project.projectId],
  );
  const counted = INSTANT_EVENTS.map((event) => [
    event,
    expected.filter(({ lifecycle: { at } }) => at[event] !== undefined).length,
  ]);
  assert.deepEqual(rows[0], Object.fromEntries(counted));
}

const sample = <T>(arbitrary: fc.Arbitrary<T>): T[] =>
  fc.sample(arbitrary, { seed: SEED, numRuns: DELIVERIES });

describe("SQL and the rules of deliveries have one meaning", () => {
  it("for what is reported of deliveries that are sent", async () => {
    const campaign = await makeCampaign("web_inapp");
    const stored = await store(campaign, sample(lifecycle));
    const event = fc.constantFrom(...OF_SENDING.instants, ...ATTEMPT_EVENTS);
    const reports = sample(fc.array(fc.record({ event, at: instant }), { minLength: 1, maxLength: 4 }));
    const rows = stored.flatMap(({ ref }, n) =>
      (reports[n] ?? []).map((report) => ({ ...ref, ...report, period: null })),
    );
    const answered = await recordDeliveryEvents(house.database.pool, rows);
    const expected = stored.map(({ ref, lifecycle: before }, n) => ({
      ref,
      lifecycle: applyReported(before, reports[n] ?? [], OF_SENDING),
    }));
    await compare(campaign, expected, reports);
    const news = new Map(answered.map((row) => [row.user_key, row.is_new]));
    for (const [n, { ref, lifecycle: next }] of expected.entries()) {
      const before = stored[n]?.lifecycle;
      assert.equal(
        news.get(ref.userKey),
        JSON.stringify(columnsOf(next)) !== JSON.stringify(before && columnsOf(before)),
      );
    }
  });

  it("for feedback from pages", async () => {
    const campaign = await makeCampaign("web_inapp");
    const stored = await store(campaign, sample(lifecycle));
    const reports = sample(fc.record({ event: fc.constantFrom(...OF_WEB.instants), at: instant }));
    const rows = stored.map(({ ref }, n) => {
      const { event: type, at } = reports[n] ?? { event: "shown" as const, at: T0 };
      return {
        ...ref,
        type: type as "shown",
        feedbackId: `feedback ${n}`,
        receiptId: newUuid(T0),
        at,
        period: 0,
      };
    });
    await applyFeedback(1_000)(house.database.pool, rows);
    const expected = stored.map(({ ref, lifecycle: before }, n) => {
      const report = reports[n];
      // A message that was not shown cannot be clicked or dismissed.
      const counts = report !== undefined && (report.event === "shown" || before.at.shown !== undefined);
      return { ref, lifecycle: counts ? applyReported(before, [report], OF_WEB) : before };
    });
    await compare(campaign, expected, reports);
  });

  for (const channel of ["web_inapp", "push"] as const)
    it(`for events that a goal counts, on ${channel}`, async () => {
      const campaign = await makeCampaign(channel);
      const stored = await store(campaign, sample(lifecycle));
      const instants = sample(fc.array(instant, { minLength: 1, maxLength: 3 }));
      const events = stored.flatMap(({ ref }, n) =>
        (instants[n] ?? []).map((ts, index) => ({
          lane: ref.lane,
          userKey: ref.userKey,
          projectId: ref.projectId,
          externalId: `user ${n}`,
          eventId: `e${index}`,
          name: GOAL_EVENT,
          props: null,
          shape: NO_SHAPE,
          ts,
        })),
      );
      await inTransaction(house.database.pool, (client) =>
        recordEventsWithin(client, events, { activePeriod: 0, now: house.now(), maxNames: 1_000 }),
      );
      const fromClick = channel === "push";
      const expected = stored.map(({ ref, lifecycle: before }, n) => ({
        ref,
        lifecycle: afterGoalEvents(before, instants[n] ?? [], { fromClick }),
      }));
      await compare(campaign, expected, instants);
    });

  it("for hits that were a bot's", async () => {
    const campaign = await makeCampaign("web_inapp");
    const stored = await store(campaign, sample(lifecycle));
    const reports = sample(
      fc.record({ opened: fc.boolean(), clicked: fc.boolean(), lastAt: fc.option(instant, { freq: 1 }) }),
    );
    for (const [n, { ref }] of stored.entries()) {
      const lastAt = reports[n]?.lastAt ?? null;
      if (lastAt === null) continue;
      await house.database.pool.query(
        `insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at) values ($1, $2, $3, $4, 1, $5, $5)`,
        [ref.lane, ref.userKey, GOAL_EVENT, ref.projectId, lastAt],
      );
    }
    const rows = stored.map(({ ref }, n) => ({
      ...ref,
      opened: reports[n]?.opened ?? false,
      clicked: reports[n]?.clicked ?? false,
    }));
    await revertHits(house.database.pool, rows);
    const expected = stored.map(({ ref, lifecycle: before }, n) => ({
      ref,
      lifecycle: revert(before, rows[n] ?? { opened: false, clicked: false }, reports[n]?.lastAt ?? null),
    }));
    await compare(campaign, expected, reports);
  });
});
