/**
 * `node bench/audiences.ts [--rounds 5] [--users 1000000] [--events 5000000]`: audiences and conversions over a large
 * project, through the API, each beside hand-written SQL for the same question on the same database, in turn. Prints
 * medians, rows per second and ratios.
 */
import { parseArgs } from "node:util";
import { fillProject } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    users: { type: "string", default: "1000000" },
    events: { type: "string", default: "5000000" },
  },
});
const ROUNDS = Number(values.rounds);
const USERS = Number(values.users);
const EVENTS = Number(values.events);
const DAY_MS = 86_400_000;
/** How long after its exposure a conversion counts for the goal of the campaign. */
const WINDOW_DAYS = 7;

/** By hand: users of the campaign $1 who did it within $2 (ms) after they met the message. */
const CONVERTED_IN_TIME = `select count(*) as found from deliveries d
  where d.campaign_id = $1 and exists (
    select from events e where e.lane = d.lane and e.user_key = d.user_key and e.name = 'event_2'
      and e.ts between d.exposed_at and d.exposed_at + $2::int8
  )`;

type Sql = { text: string; values: unknown[] };
type Question = {
  name: string;
  /** Rows that have to be thought about. */
  rows: number;
  ask: () => Promise<number>;
  byHand: Sql;
  most: number;
};

const tidings = await startTidings();
const db = await tidings.connect();
const { projectId, secretKey, port } = tidings;
try {
  const api = async (method: string, path: string, body?: unknown): Promise<Record<string, never>> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Record<string, never>;
  };
  console.log(`seeding ${USERS} users, ${EVENTS} events, ${USERS} deliveries`);
  const campaignId = await fillProject(db, tidings, { users: USERS, events: EVENTS });

  const { goal } = (await api("POST", "/goals", {
    name: "Event 2",
    targetEvent: "event_2",
    attributionDays: WINDOW_DAYS,
  })) as unknown as { goal: { id: string } };
  await db.query("update campaigns set goal_id = $1 where id = $2", [goal.id.slice(5), campaignId.slice(4)]);

  const check = async (root: unknown): Promise<number> => {
    const body = { expression: { version: 1, root }, sampleLimit: 0 };
    return (await api("POST", "/audiences/check", body)).matchedCount ?? Number.NaN;
  };
  const plan = { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" };
  const event = (name: string) => ({ kind: "event", event: name });
  const since = Date.now() - 30 * DAY_MS;
  const total = "(select count(*) from users where project_id = $1) as total";
  const questions: Question[] = [
    {
      name: "check: trait, seen, not seen",
      rows: USERS,
      ask: () =>
        check({ kind: "all", children: [plan, event("event_3"), { kind: "not", child: event("event_5") }] }),
      byHand: {
        text: `select count(*) as found, ${total} from users u
          where u.project_id = $1 and u.traits ->> 'plan' = 'pro'
            and exists (select from event_counts c where c.lane = u.lane and c.user_key = u.user_key and c.project_id = $1 and c.name = 'event_3')
            and not exists (select from event_counts c where c.lane = u.lane and c.user_key = u.user_key and c.project_id = $1 and c.name = 'event_5')`,
        values: [projectId],
      },
      most: 1.5,
    },
    {
      name: "check: twice in 30 days with a property",
      rows: EVENTS,
      ask: () =>
        check({
          kind: "event",
          event: "event_1",
          count: { op: "gte", value: 2 },
          window: { amount: 30, unit: "days" },
          where: [{ kind: "field", field: { kind: "event_property", key: "amount" }, op: "gt", value: 50 }],
        }),
      byHand: {
        text: `select count(*) as found, ${total} from users u join (
            select lane, user_key from events
            where project_id = $1 and name = 'event_1' and ts >= $2 and (props ->> 'amount')::numeric > 50
            group by 1, 2 having count(*) >= 2
          ) e using (lane, user_key) where u.project_id = $1`,
        values: [projectId, since],
      },
      most: 1.5,
    },
    {
      name: "check: got a campaign and clicked nothing",
      rows: 2 * USERS,
      ask: () =>
        check({
          kind: "all",
          children: [
            { kind: "message", did: "received", campaigns: [campaignId] },
            { kind: "not", child: { kind: "message", did: "clicked" } },
          ],
        }),
      byHand: {
        text: `select count(*) as found, ${total} from users u
          where u.project_id = $1
            and exists (
              select from deliveries d where d.lane = u.lane and d.user_key = u.user_key and d.campaign_id = $2 and d.shown_at is not null
            )
            and not exists (
              select from deliveries d where d.lane = u.lane and d.user_key = u.user_key and d.project_id = $1 and d.clicked_at is not null
            )`,
        values: [projectId, campaignId.slice(4)],
      },
      most: 1.5,
    },
    {
      name: "conversions of a campaign",
      rows: USERS,
      ask: async () => {
        const { totals } = await api("GET", `/campaigns/${campaignId}/conversions?event=event_2`);
        return (
          (totals as unknown as { convertedDeliveries: number } | undefined)?.convertedDeliveries ??
          Number.NaN
        );
      },
      byHand: {
        text: `select count(*) as found from deliveries d
          where d.campaign_id = $1 and exists (
            select from event_counts c
            where c.lane = d.lane and c.user_key = d.user_key and c.name = 'event_2' and c.last_at >= d.exposed_at
          )`,
        values: [campaignId.slice(4)],
      },
      most: 1.5,
    },
    {
      name: "results of a campaign",
      rows: USERS,
      ask: async () => {
        const { results } = await api("GET", `/campaign-results?campaignIds=${campaignId}`);
        const [only] = (results ?? []) as unknown as { totals: { converted: number } }[];
        return only?.totals.converted ?? Number.NaN;
      },
      byHand: { text: CONVERTED_IN_TIME, values: [campaignId.slice(4), WINDOW_DAYS * DAY_MS] },
      most: 2,
    },
    {
      name: "results of 90 days",
      rows: USERS,
      ask: async () => {
        const { totals } = await api("GET", "/metrics/results?range=90d");
        return (totals as unknown as { converted: number } | undefined)?.converted ?? Number.NaN;
      },
      byHand: {
        text: `select sum(n) as found from (
            select at / ${DAY_MS} as day, count(*) as n from (
              select (select min(e.ts) from events e where e.lane = d.lane and e.user_key = d.user_key and e.name = 'event_2'
                and e.ts between d.exposed_at and d.exposed_at + $2::int8) as at
              from deliveries d where d.campaign_id = $1
            ) firsts where at is not null group by 1
          ) days`,
        values: [campaignId.slice(4), WINDOW_DAYS * DAY_MS],
      },
      most: 1.5,
    },
  ];

  const timed = async <T>(act: () => Promise<T>): Promise<{ ms: number; result: T }> => {
    const begun = performance.now();
    const result = await act();
    return { ms: performance.now() - begun, result };
  };
  for (const { name, rows, ask, byHand, most } of questions) {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const measured = await timed(ask);
      const written = await timed(async () => Number((await db.query(byHand)).rows[0]?.found));
      if (Math.abs(measured.result - written.result) > measured.result / 1_000)
        throw new Error(`${name}: ${measured.result} and ${written.result} by hand`);
      // The first time fills caches.
      if (round > 0) {
        ours.push(measured.ms);
        theirs.push(written.ms);
      }
    }
    const [a, b] = [median(ours), median(theirs)];
    console.log(
      `${name}: ${a.toFixed(0)} ms (${((rows / a) * 1_000).toExponential(1)} rows/s), by hand ${b.toFixed(0)} ms`,
    );
    const times = a / b;
    console.log(
      `${times <= most ? "reached" : "MISSED "}  ${times.toFixed(2)} times the hand-written one (at most ${most})`,
    );
    if (times > most) process.exitCode = 1;
  }
  const capabilities: number[] = [];
  for (let round = 0; round <= ROUNDS; round++)
    capabilities.push((await timed(() => api("GET", "/audiences/capabilities"))).ms);
  console.log(`capabilities: ${median(capabilities).toFixed(1)} ms (at most 50)`);
  for (const path of [
    "/overview",
    "/metrics?range=90d",
    "/activity",
    "/users",
    "/events",
    "/users/summary",
  ]) {
    const reads: number[] = [];
    for (let round = 0; round < ROUNDS; round++) reads.push((await timed(() => api("GET", path))).ms);
    console.log(`GET ${path}: ${median(reads).toFixed(1)} ms`);
  }
} finally {
  await db.end();
  await tidings.stop();
}
