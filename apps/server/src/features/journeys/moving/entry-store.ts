import { sql } from "kysely";
import { FIRST_OCCASION, type UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { rowFilter, withValue } from "../../../platform/db/statements/fragment.ts";
import { rowsStatement, valuesStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { farAheadSql } from "../../../platform/time/far-ahead.ts";
import { isVisitorSql } from "../../users/identities/public.ts";
import { MAX_WAIT_MS } from "../authoring/steps.pure.ts";
import type { Place } from "../authoring/walk.pure.ts";
import type { LeftBy } from "./left-by.pure.ts";

/** A user in a journey, or who was in it. Instants are epoch milliseconds. */
export type EntryKey = UserRef & { journeyId: string; occasion: number };
export type Entry = EntryKey &
  Place & {
    projectId: string;
    dueAt: number;
    version: number;
    enteredAt: number;
    /** The event that let them in; null where none did. */
    event: { name: string; props: Record<string, unknown>; at: number } | null;
    leftAt: number | null;
    leftBy: LeftBy | null;
    /** The arm of the split, and the epoch under which it was drawn; null where there was none. */
    arm: string | null;
    epoch: number | null;
  };

const ENTRY = `e.lane, e.user_key as "userKey", e.journey_id as "journeyId", e.occasion, e.project_id as "projectId", e.step_id as "stepId",
  e.is_acted as "isActed", e.arrived_at as "arrivedAt", e.due_at as "dueAt", e.version, e.entered_at as "enteredAt", e.event,
  e.left_at as "leftAt", e.left_by as "leftBy", e.arm, e.epoch`;

/** SQL: the user of the entry `e`, which is found by its key, is inside. */
const STILL_INSIDE = rowFilter("e.left_at is null");

/** SQL: `e` and `l` are of the same entry. */
const sameEntry = (e: string, l: string): string =>
  `${e}.lane = ${l}.lane and ${e}.user_key = ${l}.user_key and ${e}.journey_id = ${l}.journey_id and ${e}.occasion = ${l}.occasion`;

type OfJourney = UserRef & { projectId: string; journeyId: string };

/** The last entry of a user, and the arm that they drew when they entered first. */
export type LastEntry = Entry & { firstArm: string | null };

/** The last entry of each user into a journey, locked. Users have to be given once each. */
export const lockLastEntries = rowsStatement<OfJourney, LastEntry>(
  { name: "lock_last_journey_entries", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid", journeyId: "uuid" },
  `
  select ${ENTRY}, (
      select f.arm from ${t.journeyEntries} f
      where f.lane = i.lane and f.user_key = i.user_key and f.journey_id = i.journey_id and f.occasion = ${FIRST_OCCASION}
    ) as "firstArm"
  from input i
  join ${t.journeyEntries} e on e.lane = i.lane and e.user_key = i.user_key and e.journey_id = i.journey_id and e.project_id = i.project_id
  where e.occasion = (
    select max(l.occasion) from ${t.journeyEntries} l where l.lane = i.lane and l.user_key = i.user_key and l.journey_id = i.journey_id
  )
  order by e.lane, e.user_key, e.journey_id for no key update of e`,
);

/** The last entry of a user into a journey; null where they never entered. */
export async function findLastEntry(
  db: Db,
  projectId: string,
  journeyId: string,
  { lane, userKey }: UserRef,
): Promise<Entry | null> {
  const { rows } = await sql<Entry>`
    select ${sql.raw(ENTRY)} from ${t.journeyEntries} e
    where e.lane = ${lane} and e.user_key = ${userKey} and e.journey_id = ${journeyId} and e.project_id = ${projectId}
    order by e.occasion desc limit 1`.execute(db);
  return rows[0] ?? null;
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

/** Makes users due now whose message was made, of whom it is known that it has left or ended. */
export const hastenEntries = rowsStatement<
  EntryKey & { projectId: string; now: number },
  Record<never, never>
>(
  { name: "hasten_journey_entries", reach: "key" },
  { lane: "int2", userKey: "uuid", journeyId: "uuid", occasion: "int4", projectId: "uuid", now: "int8" },
  `,
  locked as materialized (
    select e.lane, e.user_key, e.journey_id, e.occasion, i.now from input i
    join ${t.journeyEntries} e on e.lane = i.lane and e.user_key = i.user_key and e.journey_id = i.journey_id and e.occasion = i.occasion
      and e.project_id = i.project_id
    where e.is_acted and e.due_at > i.now and ${STILL_INSIDE}
    order by e.lane, e.user_key, e.journey_id for no key update of e
  )
  update ${t.journeyEntries} e set due_at = l.now from locked l
  where ${sameEntry("e", "l")}`,
);

/** A user who enters. `event` is compact JSON of the event that let them in. */
export type NewEntry = EntryKey & {
  projectId: string;
  stepId: string;
  now: number;
  version: number;
  event: string | null;
  arm: string | null;
  epoch: number | null;
};

/** Lets users in at the first step. One who is in already, or is erased, stays as they are. Answers who entered, and counts them. */
export const insertEntries = rowsStatement<NewEntry, EntryKey>(
  { name: "insert_journey_entries", reach: "key" },
  {
    lane: "int2",
    userKey: "uuid",
    journeyId: "uuid",
    occasion: "int4",
    projectId: "uuid",
    stepId: "text",
    now: "int8",
    version: "int4",
    event: "jsonb",
    arm: "text",
    epoch: "int4",
  },
  `,
  entered as (
    insert into ${t.journeyEntries} (lane, user_key, journey_id, occasion, project_id, step_id, arrived_at, due_at, version, entered_at, event, arm, epoch)
    select i.lane, i.user_key, i.journey_id, i.occasion, i.project_id, i.step_id, i.now, i.now, i.version, i.now, i.event, i.arm, i.epoch
    from input i join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    order by i.lane, i.user_key, i.journey_id
    on conflict do nothing
    returning lane, user_key, journey_id, occasion, project_id, step_id, arm
  ),
  counted as (
    insert into ${t.journeyCounts} as c (journey_id, step_id, did, project_id, count)
    select journey_id, step_id, did, project_id, count(*) from (
      select journey_id, '' as step_id, 'entered' as did, project_id from entered
      union all select journey_id, step_id, 'here', project_id from entered
      union all select journey_id, '', 'arm:' || arm, project_id from entered where arm is not null
    ) each group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (journey_id, step_id, did) do update set count = c.count + excluded.count
  )
  select lane, user_key as "userKey", journey_id as "journeyId", occasion from entered`,
);

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

/** Where a user is in a journey, locked until the transaction ends; null where they are not inside. */
export async function lockInside(
  tx: Db,
  projectId: string,
  journeyId: string,
  user: UserRef,
): Promise<Entry | null> {
  const { rows } = await sql<Entry>`
    select ${sql.raw(ENTRY)} from ${t.journeyEntries} e
    where e.lane = ${user.lane} and e.user_key = ${user.userKey} and e.journey_id = ${journeyId} and e.left_at is null
      and e.project_id = ${projectId}
    for no key update of e`.execute(tx);
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

/** SQL: the entry `e` is still where the row `i` found it. */
const IS_THERE = `e.lane = i.lane and e.user_key = i.user_key and e.journey_id = i.journey_id and e.occasion = i.occasion and e.project_id = i.project_id
    and e.step_id = i.from_step and e.arrived_at = i.from_at and e.is_acted = i.from_acted and ${STILL_INSIDE}`;

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

/**
 * Moves entries, writes what they did, and counts it, in one statement. An entry that was moved or has left meanwhile stays as it is.
 * Answers which moved.
 */
export const moveEntries = rowsStatement<Movement, EntryKey>(
  { name: "move_journey_entries", reach: "key" },
  {
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
  },
  `,
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
  select lane, user_key as "userKey", journey_id as "journeyId", occasion from locked`,
);
