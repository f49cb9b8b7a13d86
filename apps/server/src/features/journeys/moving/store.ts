import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Connection, Db } from "../../../platform/db/db.ts";
import { rowFilter, withValue } from "../../../platform/db/statements/fragment.ts";
import { rowsStatement, valuesStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { snakeCase } from "../../../platform/text/snake-case.ts";
import { farAheadSql, type Look } from "../../../platform/time/far-ahead.ts";
import { sameCampaign, sameDelivery } from "../../deliveries/public.ts";
import { isVisitorSql } from "../../users/identities/public.ts";
import { MAX_WAIT_MS } from "../authoring/schema.ts";
import type { Place } from "../authoring/walk.pure.ts";

/** A journey that is under way, with what it is. */
export type MovingJourney = {
  id: string;
  projectId: string;
  status: "draft" | "running" | "paused" | "ended";
  version: number;
  definition: unknown;
  /** Waits that were changed: users who are there are due at another instant. */
  retimedSteps: string[];
  /** The event of its goal; null where it has none. */
  goalEvent: string | null;
};

/** Journeys by their ids (UUIDs), of any project. */
export async function readMovingAcrossProjects(db: Db, ids: readonly string[]): Promise<MovingJourney[]> {
  const { rows } = await sql<MovingJourney>`
    select j.id, j.project_id as "projectId", j.status, j.version, j.definition, j.retimed_steps as "retimedSteps", g.target_event as "goalEvent"
    from ${t.journeys} j left join ${t.goals} g on g.id = j.goal_id
    where j.id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}

const lockJourney = valuesStatement<
  Pick<MovingJourney, "id" | "projectId" | "status" | "version">,
  { id: string }
>(
  { name: "lock_journey", reach: "config" },
  { id: "uuid", projectId: "uuid", status: "text", version: "int4" },
  ({ id, projectId, status, version }) => `
  select id from ${t.journeys}
  where id = ${id} and project_id = ${projectId} and status = ${status}::campaign_status and version = ${version} for share`,
);

/**
 * Whether a journey is still as it was read, and stays so until the transaction ends: what changes it waits. So users are moved neither to a
 * step that was taken away meanwhile nor after a pause.
 */
export async function isStill(
  client: Connection,
  { id, projectId, status, version }: MovingJourney,
): Promise<boolean> {
  return (await lockJourney(client, { id, projectId, status, version })).length > 0;
}

/** An event that a journey has not looked at yet. */
export type Trigger = UserRef & {
  seq: number;
  projectId: string;
  journeyId: string;
  eventId: string;
  name: string;
  props: Record<string, unknown> | null;
  ts: number;
};

/** The oldest events that no journey has looked at, but for those of some journeys (UUIDs). */
export async function readTriggersAcrossProjects(
  db: Db,
  { except, limit }: { except: readonly string[]; limit: number },
): Promise<Trigger[]> {
  const { rows } = await sql<Trigger>`
    select seq, lane, user_key as "userKey", project_id as "projectId", journey_id as "journeyId", event_id as "eventId", name, props, ts
    from ${t.journeyTriggers} where journey_id <> all(${[...except]}::uuid[]) order by seq limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Takes events away that were looked at. */
export const deleteTriggers = rowsStatement<
  Pick<Trigger, "lane" | "userKey" | "seq" | "projectId">,
  Record<never, never>
>(
  { name: "delete_journey_triggers", reach: "key" },
  { lane: "int2", userKey: "uuid", seq: "int8", projectId: "uuid" },
  `
  delete from ${t.journeyTriggers} q using input i
  where q.lane = i.lane and q.user_key = i.user_key and q.seq = i.seq and q.project_id = i.project_id`,
);

/** SQL: rows as the relation `input`, as prepared statements have it, for statements of a request. */
function inputOf<Row extends object>(
  rows: readonly Row[],
  columns: Readonly<Record<string, string>>,
): RawBuilder<unknown> {
  const names = Object.entries(columns).map(([key, type]) => `"${key}" ${type}`);
  const shown = Object.keys(columns).map((key) => `"${key}" as ${snakeCase(key)}`);
  return sql`input as materialized (
    select ${sql.raw(shown.join(", "))} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as i (${sql.raw(names.join(", "))})
  )`;
}

/** A user in a journey, or who was in it. Instants are epoch milliseconds. */
export type EntryKey = UserRef & { journeyId: string; occasion: number };
export type Entry = EntryKey &
  Place & {
    projectId: string;
    dueAt: number;
    version: number;
    enteredAt: number;
    event: Record<string, unknown> | null;
    leftAt: number | null;
    leftBy: string | null;
  };

const ENTRY = `e.lane, e.user_key as "userKey", e.journey_id as "journeyId", e.occasion, e.project_id as "projectId", e.step_id as "stepId",
  e.is_acted as "isActed", e.arrived_at as "arrivedAt", e.due_at as "dueAt", e.version, e.entered_at as "enteredAt", e.event,
  e.left_at as "leftAt", e.left_by as "leftBy"`;

/** The users of some rows, each once, in the order of their locks. */
const USERS = { lane: "int2", userKey: "uuid", projectId: "uuid", journeyId: "uuid" } as const;
type OfJourney = UserRef & { projectId: string; journeyId: string };

const LAST = `
  select ${ENTRY} from input i
  join ${t.journeyEntries} e on e.lane = i.lane and e.user_key = i.user_key and e.journey_id = i.journey_id and e.project_id = i.project_id
  where e.occasion = (
    select max(l.occasion) from ${t.journeyEntries} l where l.lane = i.lane and l.user_key = i.user_key and l.journey_id = i.journey_id
  )
  order by e.lane, e.user_key, e.journey_id for no key update of e`;

/** The last entry of each user into a journey, locked. Users have to be given once each. */
export const lockLastEntries = rowsStatement<OfJourney, Entry>(
  { name: "lock_last_journey_entries", reach: "key" },
  USERS,
  LAST,
);

/** The same, in a transaction of a request. */
export async function lockLastEntriesOf(db: Db, users: readonly OfJourney[]): Promise<Entry[]> {
  const { rows } = await sql<Entry>`with ${inputOf(users, USERS)} ${sql.raw(LAST)}`.execute(db);
  return rows;
}

/** Which of some users the project has, and who are no visitors. */
export async function isKnown(
  db: Db,
  projectId: string,
  users: readonly UserRef[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ userKey: string }>`
    select u.user_key as "userKey"
    from unnest(${users.map(({ lane }) => lane)}::int2[], ${users.map(({ userKey }) => userKey)}::uuid[]) n (lane, user_key)
    join ${t.users} u on u.lane = n.lane and u.user_key = n.user_key
    where u.project_id = ${projectId} and not ${isVisitorSql("u")}`.execute(db);
  return new Set(rows.map(({ userKey }) => userKey));
}

/** A journey (UUID), and since when there is something to do for it, or from when on; epoch milliseconds. */
export type DueJourney = { id: string; dueAt: number };

/** The journeys that run and have users who are or come due, and those that have ended with users inside. */
export async function findDueJourneysAcrossProjects(db: Db, { now, until }: Look): Promise<DueJourney[]> {
  const inside = sql`from ${t.journeyEntries} e where e.journey_id = j.id and e.left_at is null`;
  const isFar = withValue((at) => farAheadSql("e.due_at", at, MAX_WAIT_MS), now);
  const { rows } = await sql<DueJourney>`
    select j.id, case when j.status = 'ended' or j.retimed_steps <> '{}' or f.is_far then ${now} else d.due_at end as "dueAt"
    from ${t.journeys} j
    cross join lateral (select exists (select ${inside} and ${isFar}) as is_far) f
    left join lateral (select e.due_at ${inside} order by e.due_at limit 1) d on true
    where (j.status = 'running' and (j.retimed_steps <> '{}' or f.is_far or d.due_at <= ${until}))
      or (j.status = 'ended' and d.due_at is not null)
    order by j.id`.execute(db);
  return rows;
}

/** Users of a journey who are due, those first who are due for longest. */
export async function readDue(
  db: Db,
  projectId: string,
  journeyId: string,
  now: number,
  limit: number,
): Promise<Entry[]> {
  const from = (isDue: string) => sql`(
    select ${sql.raw(ENTRY)} from ${t.journeyEntries} e
    where e.project_id = ${projectId} and e.journey_id = ${journeyId} and e.left_at is null and ${withValue((at) => isDue.replaceAll("@", at), now)}
    order by e.due_at limit ${limit}
  )`;
  // Those whom a clock that was ahead made wait are read by themselves: so each part is a range of the index.
  const { rows } = await sql<Entry>`
    ${from("e.due_at <= @")} union all ${from(farAheadSql("e.due_at", "@", MAX_WAIT_MS))} limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** A user in the order in which they are due, the last ones first. */
export type DuePlace = UserRef & { dueAt: number };

/**
 * Makes users due who wait at some steps, a page of those inside from a place backwards. Answers the last of the page, from which the
 * next one goes on; none behind the last page.
 */
export const makeDue = valuesStatement<
  {
    projectId: string;
    journeyId: string;
    steps: readonly string[];
    now: number;
    limit: number;
    dueAt: number;
    lane: number;
    userKey: string;
  },
  DuePlace
>(
  { name: "make_journey_entries_due", reach: "all lanes" },
  {
    projectId: "uuid",
    journeyId: "uuid",
    steps: "text[]",
    now: "int8",
    limit: "int4",
    dueAt: "int8",
    lane: "int2",
    userKey: "uuid",
  },
  ({ projectId, journeyId, steps, now, limit, dueAt, lane, userKey }) => `
  with page as materialized (
    select e.lane, e.user_key, e.occasion, e.step_id, e.due_at from ${t.journeyEntries} e
    where e.project_id = ${projectId} and e.journey_id = ${journeyId} and e.left_at is null and e.due_at > ${now} and e.due_at <= ${dueAt}
      and (e.due_at, e.lane, e.user_key) < (${dueAt}, ${lane}, ${userKey})
    order by e.due_at desc, e.lane desc, e.user_key desc limit ${limit}
  ),
  locked as materialized (
    select e.lane, e.user_key, e.occasion from page p
    join ${t.journeyEntries} e on e.lane = p.lane and e.user_key = p.user_key and e.journey_id = ${journeyId} and e.occasion = p.occasion
    where p.step_id = any(${steps}) and e.step_id = p.step_id and e.left_at is null
    order by e.lane, e.user_key for no key update of e
  ),
  made as (
    update ${t.journeyEntries} e set due_at = ${now} from locked l
    where e.lane = l.lane and e.user_key = l.user_key and e.journey_id = ${journeyId} and e.occasion = l.occasion
  )
  select lane, user_key as "userKey", due_at as "dueAt" from page order by due_at, lane, user_key limit 1`,
);

/** A user who enters. `event` is compact JSON of the event that let them in. */
export type NewEntry = EntryKey & {
  projectId: string;
  stepId: string;
  now: number;
  version: number;
  event: string | null;
};

const NEW_ENTRY = {
  lane: "int2",
  userKey: "uuid",
  journeyId: "uuid",
  occasion: "int4",
  projectId: "uuid",
  stepId: "text",
  now: "int8",
  version: "int4",
  event: "jsonb",
} as const;

const ENTER = `,
  entered as (
    insert into ${t.journeyEntries} (lane, user_key, journey_id, occasion, project_id, step_id, arrived_at, due_at, version, entered_at, event)
    select i.lane, i.user_key, i.journey_id, i.occasion, i.project_id, i.step_id, i.now, i.now, i.version, i.now, i.event
    from input i join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    order by i.lane, i.user_key, i.journey_id
    on conflict do nothing
    returning lane, user_key, journey_id, occasion, project_id, step_id
  ),
  counted as (
    insert into ${t.journeyCounts} as c (journey_id, step_id, did, project_id, count)
    select journey_id, step_id, did, project_id, count(*) from (
      select journey_id, '' as step_id, 'entered' as did, project_id from entered
      union all select journey_id, step_id, 'here', project_id from entered
    ) each group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (journey_id, step_id, did) do update set count = c.count + excluded.count
  )
  select lane, user_key as "userKey", journey_id as "journeyId", occasion from entered`;

/** Lets users in at the first step. One who is in already, or is erased, stays as they are. Answers who entered, and counts them. */
export const insertEntries = rowsStatement<NewEntry, EntryKey>(
  { name: "insert_journey_entries", reach: "key" },
  NEW_ENTRY,
  ENTER,
);

/** The same, in a transaction of a request. */
export async function insertEntriesOf(db: Db, entries: readonly NewEntry[]): Promise<EntryKey[]> {
  if (entries.length === 0) return [];
  const { rows } = await sql<EntryKey>`with ${inputOf(entries, NEW_ENTRY)} ${sql.raw(ENTER)}`.execute(db);
  return rows;
}

/** Users who are inside a journey, some of them. */
export async function readInside(
  db: Db,
  projectId: string,
  journeyId: string,
  limit: number,
): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select ${sql.raw(ENTRY)} from ${t.journeyEntries} e
    where e.project_id = ${projectId} and e.journey_id = ${journeyId} and e.left_at is null
    order by e.due_at limit ${limit}`.execute(db);
  return rows;
}

/** Where a user is in a journey; null where they are not inside. */
export async function findInside(
  db: Db,
  projectId: string,
  journeyId: string,
  user: UserRef,
): Promise<Entry | null> {
  const { rows } = await sql<Entry>`
    select ${sql.raw(ENTRY)} from ${t.journeyEntries} e
    where e.lane = ${user.lane} and e.user_key = ${user.userKey} and e.journey_id = ${journeyId} and e.left_at is null
      and e.project_id = ${projectId}`.execute(db);
  return rows[0] ?? null;
}

/** How an entry goes on from the place where it was read. Instants are epoch milliseconds. */
export type Movement = EntryKey & {
  projectId: string;
  fromStep: string;
  fromAt: number;
  fromActed: boolean;
  stepId: string;
  arrivedAt: number;
  isActed: boolean;
  dueAt: number;
  /** Why they leave; null where they stay. */
  leftBy: string | null;
  version: number;
  now: number;
  /** What they did at the steps that they have left, in order: `{step_id, did, reason, at}` as JSON. */
  passed: string;
};

const MOVEMENT = {
  lane: "int2",
  userKey: "uuid",
  journeyId: "uuid",
  occasion: "int4",
  projectId: "uuid",
  fromStep: "text",
  fromAt: "int8",
  fromActed: "bool",
  stepId: "text",
  arrivedAt: "int8",
  isActed: "bool",
  dueAt: "int8",
  leftBy: "text",
  version: "int4",
  now: "int8",
  passed: "jsonb",
} as const;

/** SQL: the user of the entry `e`, which is found by its key, is inside. */
const STILL_INSIDE = rowFilter("e.left_at is null");

/** SQL: the entry `e` is still where the row `i` found it. */
const IS_THERE = `e.lane = i.lane and e.user_key = i.user_key and e.journey_id = i.journey_id and e.occasion = i.occasion and e.project_id = i.project_id
    and e.step_id = i.from_step and e.arrived_at = i.from_at and e.is_acted = i.from_acted and ${STILL_INSIDE}`;
const sameEntry = (e: string, l: string): string =>
  `${e}.lane = ${l}.lane and ${e}.user_key = ${l}.user_key and ${e}.journey_id = ${l}.journey_id and ${e}.occasion = ${l}.occasion`;

/** Where entries were found. */
export type FoundPlace = Pick<Movement, keyof EntryKey | "projectId" | "fromStep" | "fromAt" | "fromActed">;

/** Locks the entries that are still where they were found, and answers them. */
export const lockPlaces = rowsStatement<FoundPlace, EntryKey>(
  { name: "lock_journey_places", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    journeyId: "uuid",
    occasion: "int4",
    projectId: "uuid",
    fromStep: "text",
    fromAt: "int8",
    fromActed: "bool",
  },
  `
  select e.lane, e.user_key as "userKey", e.journey_id as "journeyId", e.occasion from input i join ${t.journeyEntries} e on ${IS_THERE}
  order by e.lane, e.user_key, e.journey_id for no key update of e`,
);

const MOVE = `,
  locked as materialized (
    select i.* from input i join ${t.journeyEntries} e on ${IS_THERE}
    order by e.lane, e.user_key, e.journey_id for no key update of e
  ),
  moved as (
    update ${t.journeyEntries} e set step_id = l.step_id, arrived_at = l.arrived_at, is_acted = l.is_acted, due_at = l.due_at, version = l.version,
      left_by = l.left_by, left_at = case when l.left_by is not null then l.now end
    from locked l where ${sameEntry("e", "l")}
  ),
  did as materialized (
    select l.*, m.step_id as at_step, m.did, m.reason, m.at, m.place
    from locked l
    cross join rows from (jsonb_to_recordset(l.passed) as (step_id text, did text, reason text, at int8)) with ordinality
      as m (step_id, did, reason, at, place)
  ),
  marked as (
    insert into ${t.journeyMarks} (lane, user_key, journey_id, occasion, ordinal, project_id, step_id, did, reason, version, at)
    select d.lane, d.user_key, d.journey_id, d.occasion, (
        select count(*) from ${t.journeyMarks} k where ${sameEntry("k", "d")}
      ) + d.place, d.project_id, d.at_step, d.did, d.reason, d.version, d.at
    from did d
  ),
  counted as (
    insert into ${t.journeyCounts} as c (journey_id, step_id, did, project_id, count)
    select journey_id, step_id, did, project_id, sum(by) from (
      select journey_id, from_step as step_id, 'here' as did, project_id, -1 as by from locked
      union all select journey_id, step_id, 'here', project_id, 1 from locked where left_by is null
      union all select journey_id, at_step, did, project_id, 1 from did
      union all select journey_id, '', 'left:' || left_by, project_id, 1 from locked where left_by is not null
    ) each group by 1, 2, 3, 4 having sum(by) <> 0 order by 1, 2, 3
    on conflict (journey_id, step_id, did) do update set count = c.count + excluded.count
  )
  select lane, user_key as "userKey", journey_id as "journeyId", occasion from locked`;

/**
 * Moves entries, writes what they did, and counts it, in one statement. An entry that was moved or has left meanwhile stays as it is.
 * Answers which moved.
 */
export const moveEntries = rowsStatement<Movement, EntryKey>(
  { name: "move_journey_entries", reach: "key" },
  MOVEMENT,
  MOVE,
);

/** The same for users who leave, in a transaction of a request. */
export async function takeOut(db: Db, movements: readonly Movement[]): Promise<EntryKey[]> {
  const rows = movements.map((movement) => ({ ...movement, passed: [] }));
  const { rows: moved } = await sql<EntryKey>`with ${inputOf(rows, MOVEMENT)} ${sql.raw(MOVE)}`.execute(db);
  return moved;
}

/** Which messages of steps were made, or withheld: whose entry and campaign (UUID) are given. */
export const findMade = rowsStatement<
  Pick<FoundPlace, keyof EntryKey | "projectId"> & { campaignId: string },
  EntryKey
>(
  { name: "find_made_journey_messages", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    journeyId: "uuid",
    occasion: "int4",
    projectId: "uuid",
    campaignId: "uuid",
  },
  `
  select i.lane, i.user_key as "userKey", i.journey_id as "journeyId", i.occasion from input i
  where exists (select from ${t.deliveries} d where ${sameDelivery("d", "i")} and d.project_id = i.project_id)
    or exists (select from ${t.withheldDeliveries} w where ${sameCampaign("w", "i")} and w.project_id = i.project_id)
  order by i.ord`,
);

/** What became of the message of a step for some entries: its state, or that it was withheld; none where it was not made. */
export type Sent = EntryKey & {
  state: string | null;
  sentAt: number | null;
  isWithheld: boolean;
  /** When the message is due, where it is mail that waits. */
  dueAt: number | null;
};

/** What became of the messages of the steps where entries are. `campaignId`: the campaign of the step (UUID). */
export async function readSent(
  db: Db,
  projectId: string,
  entries: readonly (EntryKey & { campaignId: string })[],
): Promise<Sent[]> {
  if (entries.length === 0) return [];
  const rows = entries.map(({ lane, userKey, journeyId, occasion, campaignId }) => ({
    lane,
    user_key: userKey,
    journey_id: journeyId,
    occasion,
    campaign_id: campaignId,
  }));
  const { rows: found } = await sql<Sent>`
    select n.lane, n.user_key as "userKey", n.journey_id as "journeyId", n.occasion, d.state, d.sent_at as "sentAt",
      w.user_key is not null as "isWithheld", s.due_at as "dueAt"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) n (lane int2, user_key uuid, journey_id uuid, occasion int4, campaign_id uuid)
    left join ${t.deliveries} d on ${sameDelivery("d", "n")} and d.project_id = ${projectId}
    left join ${t.withheldDeliveries} w on ${sameCampaign("w", "n")} and w.project_id = ${projectId}
    left join ${t.emailSends} s on ${sameDelivery("s", "n")} and s.project_id = ${projectId}`.execute(db);
  return found;
}

/** An entry as lists show it. */
export type ShownEntry = Pick<Entry, "occasion" | "stepId" | "enteredAt" | "arrivedAt" | "leftAt"> & {
  externalUserId: string;
  dueAt: number | null;
  leftBy: "finished" | "goal" | "event" | "removed" | "ended" | "erased" | null;
};

/** The entries of a journey, newest first. */
export async function listEntryRows(
  db: Db,
  projectId: string,
  journeyId: string,
  { state, stepId }: { state: "inside" | "left" | null; stepId: string | null },
  { offset, limit }: { offset: number; limit: number },
): Promise<{ entries: ShownEntry[]; total: number }> {
  const isInState =
    state === null ? sql`true` : state === "inside" ? sql`e.left_at is null` : sql`e.left_at is not null`;
  const isAt = stepId === null ? sql`true` : sql`e.step_id = ${stepId}`;
  const matching = sql`e.project_id = ${projectId} and e.journey_id = ${journeyId} and ${isInState} and ${isAt}`;
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from ${t.journeyEntries} e where ${matching}`.execute(db);
  const { rows: entries } = await sql<ShownEntry>`
    select coalesce(u.external_id, '') as "externalUserId", e.occasion, e.step_id as "stepId", e.entered_at as "enteredAt", e.arrived_at as "arrivedAt",
      case when e.left_at is null then e.due_at end as "dueAt", e.left_at as "leftAt", e.left_by as "leftBy"
    from ${t.journeyEntries} e left join ${t.users} u on u.lane = e.lane and u.user_key = e.user_key
    where ${matching}
    order by e.entered_at desc, e.lane desc, e.user_key desc, e.occasion desc offset ${offset} limit ${limit}`.execute(
    db,
  );
  return { entries, total: counted[0]?.total ?? 0 };
}

/** How many users are at each step of a journey and what those did who left it, by step and deed, with a NUL between. */
export async function readCounts(
  db: Db,
  projectId: string,
  journeyId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ stepId: string; did: string; count: number }>`
    select step_id as "stepId", did, count from ${t.journeyCounts}
    where project_id = ${projectId} and journey_id = ${journeyId}`.execute(db);
  return new Map(rows.map(({ stepId, did, count }) => [`${stepId}\0${did}`, count]));
}
