import type pg from "pg";
import { countUsers } from "./filled.ts";
import { httpRequest } from "./load.ts";
import type { TidingsUnderLoad } from "./processes.ts";

/** What campaigns ask about users: traits alone; how often they did what, too; or when and with what, too. */
const ASKS = ["traits", "counts", "windows"] as const;

export function asksOf(text: string): (typeof ASKS)[number] {
  const asks = ASKS.find((each) => each === text);
  if (asks === undefined) throw new Error(`--asks has to be one of ${ASKS.join(", ")}`);
  return asks;
}

/** What the running campaigns ask. All are of a goal that holds out so many per cent. */
export type MessagesLoad = { asks: (typeof ASKS)[number]; holdoutPercent: number };

export const USERS = 100_000;
const PLANS = ["free", "starter", "pro", "team", "enterprise"];
const EVENTS = Array.from({ length: 10 }, (_, n) => `event_${n}`);

const trait = (key: string, value: unknown): object => ({
  kind: "field",
  field: { kind: "trait", key },
  op: "eq",
  value,
});
const event = (n: number, more: object = {}): object => ({
  kind: "event",
  event: `event_${n % 10}`,
  ...more,
});
const not = (child: object): object => ({ kind: "not", child });

/** What a campaign asks of events: nothing, whether they happened, lately, or with a property. */
function ofEvents(n: number, { asks }: MessagesLoad): object[] {
  if (asks === "traits") return [];
  const counts = [event(n), not(event(n + 3))];
  if (asks === "counts" || n % 5 > 1) return counts;
  if (n % 5 === 0)
    return [...counts, event(n + 3, { window: { amount: n % 2 === 0 ? 7 : 30, unit: "days" } })];
  const amount = { kind: "field", field: { kind: "event_property", key: "amount" }, op: "gt", value: 50 };
  return [...counts, event(n + 6, { where: [amount] })];
}

const ofVisitors = ({ asks }: MessagesLoad): object[] =>
  asks === "traits"
    ? [{ kind: "field", field: { kind: "trait", key: "cohort" }, op: "not_exists" }]
    : EVENTS.map((_, which) => not(event(which)));

/** The audience of a campaign: 49 campaigns are for parts of the users, one for visitors seen for the first time. */
function audienceOf(n: number, options: MessagesLoad): object {
  const children =
    n === 49
      ? ofVisitors(options)
      : [trait("plan", PLANS[n % PLANS.length]), trait("cohort", n % 20), ...ofEvents(n, options)];
  return { kind: "expression", expression: { version: 1, root: { kind: "all", children } } };
}

async function createCampaigns({ port, secretKey }: TidingsUnderLoad, options: MessagesLoad): Promise<void> {
  const create = async (path: string, body: object): Promise<Record<string, { id: string }>> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secretKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(await response.text());
    return (await response.json()) as Record<string, { id: string }>;
  };
  const { holdoutPercent } = options;
  const goalId =
    holdoutPercent > 0 ? (await create("goals", { name: "All of them", holdoutPercent })).goal?.id : null;
  for (let n = 0; n < 50; n++) {
    await create("campaigns", {
      goalId,
      name: `Campaign ${n}`,
      launch: true,
      message: {
        presentation: n % 5 === 0 ? "modal" : "toast",
        title: `Message ${n}`,
        body: "Something that is worth a user's moment, said in a sentence of usual length.",
        cta: { label: "Show me", destination: { kind: "website", url: `https://example.com/${n}` } },
      },
      audience: audienceOf(n, options),
    });
  }
}

/** Users and their history, as weeks of use would have left them: ten deliveries and four kinds of events each. */
async function seed(db: pg.Client, projectId: string): Promise<void> {
  const now = Date.now();
  await db.query(
    `create temp table seeded as
    select get_byte(digest, 0) >> 2 as lane, encode(substring(digest from 1 for 16), 'hex')::uuid as user_key, n
    from (
      select n, sha256(convert_to($1, 'UTF8') || '\\x00'::bytea || convert_to('user-' || n, 'UTF8')) as digest
      from generate_series(0, $2::int - 1) n
    ) digests`,
    [projectId, USERS],
  );
  await db.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, $1, 'user-' || n,
      jsonb_build_object('plan', ($2::text[])[1 + n % 5], 'cohort', n % 20, 'name', 'User ' || n), $3, $3 from seeded`,
    [projectId, PLANS, now],
  );
  await countUsers(db);
  await db.query(
    `insert into event_counts (lane, user_key, name, project_id, count, first_at, last_at)
    select lane, user_key, 'event_' || (n + k * 3) % 10, $1, 1 + k, $2, $2 from seeded, generate_series(0, 3) k`,
    [projectId, now],
  );
  await db.query(
    `insert into events (lane, user_key, event_id, project_id, name, props, ts)
    select lane, user_key, name || '-' || e, project_id, name, jsonb_build_object('amount', (e * 37) % 100),
      last_at - e * 86400000::int8
    from event_counts, generate_series(1, count) e`,
  );
  // Two of the ten are of campaigns that run: one still to be shown, one resolved. The others are history.
  await db.query(
    `with running as (
      select c.id, v.id as variant_id, row_number() over (order by c.created_at) - 1 as position
      from campaigns c join variants v on v.campaign_id = c.id where c.project_id = $1
    )
    insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, shown_at, exposed_at, dismissed_at)
    select s.lane, s.user_key, r.id, $1, r.variant_id,
      (case k when 0 then 'shown' else 'dismissed' end)::delivery_state, $2, $2, $2, case k when 0 then null else $2::int8 end
    from seeded s, generate_series(0, 1) k join running r on true
    where r.position = (s.n + k * 25) % 50`,
    [projectId, now],
  );
  await db.query(
    `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, shown_at, exposed_at, dismissed_at)
    select s.lane, s.user_key, c.id, $1, c.id, 'dismissed', $2, $2, $2, $2
    from seeded s, (select gen_random_uuid() as id from generate_series(1, 8)) c`,
    [projectId, now],
  );
  await db.query("vacuum analyze users, events, event_counts, deliveries");
}

/** 50 running campaigns, and users with a history. */
export async function prepareMessages(tidings: TidingsUnderLoad, options: MessagesLoad): Promise<void> {
  await createCampaigns(tidings, options);
  const db = await tidings.connect();
  await seed(db, tidings.projectId);
  await db.end();
}

/** Requests for messages: four of five come from users with a history, who have one to see, the fifth from a visitor seen for the first time. */
export function messagesRequests(): (key: string) => string {
  let page = 0;
  return (key) => {
    const view = page++;
    const user = view % 5 === 0 ? `visitor-${view}` : `user-${Math.floor(Math.random() * USERS)}`;
    const path = `/api/v1/messages?userId=${user}&entryId=e${view}&requestId=r1&path=%2Fproducts%2F${view % 90}`;
    return httpRequest("GET", path, key);
  };
}
