/**
 * `node bench/audiences.ts [--rounds 5] [--users 1000000] [--events 5000000]`: audiences and conversions over a large
 * project, through the API, each beside hand-written SQL for the same question on the same database, in turn. Prints
 * medians, rows per second and ratios.
 */
import { parseArgs } from "node:util";
import type pg from "pg";
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
const NAMES = 20;
const DAY_MS = 86_400_000;

/** Users with traits, events of 20 names over 90 days, the counts kept of them, and a delivery of one campaign for each. */
async function seed(
  db: pg.Client,
  projectId: string,
  campaign: { id: string; variantId: string },
): Promise<void> {
  const now = Date.now();
  const uuid = (id: string): string => id.slice(id.indexOf("_") + 1);
  await db.query(
    `create temp table people as
    select n, get_byte(digest, 0) >> 2 as lane, encode(substring(digest from 1 for 16), 'hex')::uuid as user_key
    from (
      select n, sha256(convert_to($1, 'UTF8') || '\\x00'::bytea || convert_to('user-' || n, 'UTF8')) as digest
      from generate_series(0, $2::int - 1) n
    ) digests`,
    [projectId, USERS],
  );
  await db.query("create index on people (n)");
  await db.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, $1, 'user-' || n,
      jsonb_build_object('plan', (array['free', 'starter', 'pro', 'team', 'enterprise'])[1 + n % 5], 'seats', n % 50,
        'email', 'user-' || n || '@example.com'),
      $2::int8 - (n % 90) * 86400000::int8, $2::int8 - (n % 7) * 86400000::int8
    from people`,
    [projectId, now],
  );
  await db.query(
    `insert into events (lane, user_key, event_id, project_id, name, props, ts)
    select p.lane, p.user_key, 'e-' || e, $1, 'event_' || floor(power(random(), 2) * $2)::int,
      jsonb_build_object('amount', (random() * 100)::int, 'currency', 'EUR'), $3::int8 - ((1 - e::float8 / $4) * 90 * 86400000)::int8
    from generate_series(1, $4::int) e join people p on p.n = (hashint4(e) & 2147483647) % $5::int`,
    [projectId, NAMES, now, EVENTS, USERS],
  );
  await db.query(
    `insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
    select lane, user_key, name, project_id, count(*), min(ts), max(ts) from events group by 1, 2, 3, 4`,
  );
  await db.query(
    `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, shown_at, exposed_at)
    select lane, user_key, $1, $2, $3, 'shown', $4::int8, $4::int8, $4::int8 from people`,
    [uuid(campaign.id), projectId, uuid(campaign.variantId), now - 45 * DAY_MS],
  );
  await db.query(
    `insert into event_names (project_id, name, users, occurrences, last_seen_at)
    select project_id, name, count(*), sum(count), max(last_at) from event_counts group by 1, 2`,
  );
  await db.query(
    `insert into event_properties (project_id, name, key, type, count)
    select project_id, name, part.key, part.type, occurrences
    from event_names, (values ('amount', 'number'), ('currency', 'string')) part (key, type)`,
  );
  await db.query(
    `insert into trait_keys (project_id, key, type, users)
    values ($1, 'plan', 'string', $2), ($1, 'seats', 'number', $2), ($1, 'email', 'string', $2)`,
    [projectId, USERS],
  );
  await db.query("vacuum analyze");
}

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
  const message = { presentation: "toast", title: "Hello" };
  const { campaign } = (await api("POST", "/campaigns", {
    name: "To all",
    message,
    launch: true,
  })) as unknown as {
    campaign: { id: string; variants: { id: string }[] };
  };
  console.log(`seeding ${USERS} users, ${EVENTS} events, ${USERS} deliveries`);
  await seed(db, projectId, { id: campaign.id, variantId: campaign.variants[0]?.id ?? "" });

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
      name: "conversions of a campaign",
      rows: USERS,
      ask: async () => {
        const { totals } = await api("GET", `/campaigns/${campaign.id}/conversions?event=event_2`);
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
        values: [campaign.id.slice(4)],
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
      const asked = await timed(ask);
      const written = await timed(async () => Number((await db.query(byHand)).rows[0]?.found));
      if (Math.abs(asked.result - written.result) > asked.result / 1_000)
        throw new Error(`${name}: ${asked.result} and ${written.result} by hand`);
      // The first time fills caches.
      if (round > 0) {
        ours.push(asked.ms);
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
