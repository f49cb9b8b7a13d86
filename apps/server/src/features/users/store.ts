import { type Selectable, sql } from "kysely";
import { containing } from "../../platform/db/containing.ts";
import type { Db, Tables } from "../../platform/db/db.ts";
import { rowsStatement } from "../../platform/db/rows-statement.ts";
import { apiId, type UserRef } from "../../platform/ids.ts";
import { noteFactsCte, traitFacts } from "../rollups/public.ts";
import { countActiveCtes } from "../usage/public.ts";
import type { EndUser } from "./schema.ts";

/**
 * CTE that makes the users of `source` (lane, user_key, project_id, external_id, ts) known and keeps the time they
 * were last seen. Part of the statement that records what they did. `seen_users` says who was not known before.
 * Nobody is made while events of an erased user of the same id are there: who is, waits (`refuse_while_erasing`).
 */
export const upsertSeenUsersCte = (source: string): string => `
  seen_users as (
    insert into users as u (lane, user_key, project_id, external_id, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, min(ts), max(ts) from ${source}
    group by 1, 2, 3, 4 order by 1, 2
    on conflict (lane, user_key) do update
      set last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at),
        first_seen_at = least(u.first_seen_at, excluded.first_seen_at)
      where u.last_seen_at < excluded.last_seen_at or u.first_seen_at > excluded.first_seen_at
    returning u.user_key, u.xmax = 0 and refuse_while_erasing(u.lane, u.user_key) as is_new
  )`;

/**
 * Users met for the first time in `source` (as above), where meeting them is not being active. A user who is known is
 * locked all the same: one who is being erased at this moment is waited for, and then made anew.
 */
export const insertMissingUsersCte = (source: string): string => `
  missing_users as (
    insert into users as u (lane, user_key, project_id, external_id, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, min(ts), max(ts) from ${source}
    group by 1, 2, 3, 4 order by 1, 2
    on conflict (lane, user_key) do update set external_id = u.external_id where false
    returning refuse_while_erasing(u.lane, u.user_key)
  )`;

/** One identify of one user. `traits` is compact JSON; `ts` when it came, epoch milliseconds. */
export type Identified = UserRef & {
  projectId: string;
  externalId: string;
  traits: string;
  ts: number;
  period: number;
};

/** Merges traits into users, at most one row per user, and counts them as active. */
export const identifyUsers = rowsStatement<Identified, Record<never, never>>(
  "identify_users",
  {
    lane: "int2",
    userKey: "uuid",
    projectId: "uuid",
    externalId: "text",
    traits: "jsonb",
    ts: "int8",
    period: "int4",
  },
  `,
  -- New users are made and all others locked in one pass, in the order of every statement that writes users.
  made as (
    insert into users as u (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, traits, ts, ts from input order by lane, user_key
    on conflict (lane, user_key) do update set external_id = u.external_id where false
    returning u.lane, u.user_key, u.project_id, u.traits, refuse_while_erasing(u.lane, u.user_key)
  ),
  -- The newest version of those who were there: what the traits were is what the merge finds.
  known as (
    select i.lane, i.user_key, i.project_id, i.ts, u.traits as before, u.traits || i.traits as after
    from input i join users u on u.lane = i.lane and u.user_key = i.user_key
    where (select count(*) from made) is not null
    for no key update of u
  ),
  merged as (
    update users u set traits = k.after, last_seen_at = greatest(u.last_seen_at, k.ts)
    from known k where u.lane = k.lane and u.user_key = k.user_key
  ),
  changed as (
    select lane, project_id, '{}'::jsonb as before, traits as after from made
    union all
    select lane, project_id, before, after from known where before <> after
  ),
  -- Counted after their rows are held: a user who is being erased takes the old count along.
  held as (
    select i.lane, i.user_key, i.project_id, i.period
    from input i join (select user_key from made union all select user_key from known) u on u.user_key = i.user_key
  ),
  ${noteFactsCte(traitFacts("changed"))},
  ${countActiveCtes("held")}
  -- One that is neither was made by somebody else in between: all of it is done again, and then it is known.
  select case when (select count(*) from made) + (select count(*) from known) < (select count(*) from input)
    then raise_contention() end`,
);

export type UserRow = Selectable<Tables["users"]>;

/** A user as the API shows it. */
export const toEndUser = ({ userKey, externalId, traits, firstSeenAt, lastSeenAt }: UserRow): EndUser => ({
  id: apiId("eu", userKey),
  externalUserId: externalId,
  // Written by ourselves from checked objects.
  traits: traits as EndUser["traits"],
  firstSeenAt,
  lastSeenAt,
});

export async function findUser(
  db: Db,
  projectId: string,
  { lane, userKey }: UserRef,
): Promise<UserRow | null> {
  const row = await db
    .selectFrom("users")
    .selectAll()
    .where("lane", "=", lane)
    .where("userKey", "=", userKey)
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  return row ?? null;
}

/** `undefined` does not filter; instants are epoch milliseconds, and included. `traitValue` goes with `traitKey`. */
export type UserFilter = {
  q?: string | undefined;
  traitKey?: string | undefined;
  traitValue?: string | undefined;
  activeSince?: number | undefined;
  firstSeenSince?: number | undefined;
};

function usersOf(db: Db, projectId: string, filter: UserFilter) {
  const { q, traitKey, traitValue, activeSince, firstSeenSince } = filter;
  let matching = db.selectFrom("users").where("projectId", "=", projectId);
  if (activeSince !== undefined) matching = matching.where("lastSeenAt", ">=", activeSince);
  if (firstSeenSince !== undefined) matching = matching.where("firstSeenAt", ">=", firstSeenSince);
  if (traitKey !== undefined) {
    matching = matching.where(sql<boolean>`traits ->> ${traitKey} = ${traitValue}
      and jsonb_typeof(traits -> ${traitKey}) in ('string', 'number', 'boolean')`);
  }
  if (q !== undefined) {
    const pattern = containing(q);
    matching = matching.where(sql<boolean>`(external_id ilike ${pattern} or traits::text ilike ${pattern})`);
  }
  return matching;
}

/** Those first seen last before the others; of one millisecond by user key, descending. */
export async function listUsers(
  db: Db,
  projectId: string,
  filter: UserFilter,
  window: { offset: number; limit: number },
): Promise<{ rows: UserRow[]; total: number }> {
  const matching = usersOf(db, projectId, filter);
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy("firstSeenAt", "desc")
    .orderBy("userKey", "desc")
    .offset(window.offset)
    .limit(window.limit)
    .execute();
  return { rows, total };
}

/** Every user, and those seen, or seen first, at or after an instant. */
export async function countUsers(
  db: Db,
  projectId: string,
  startAt: number,
): Promise<{ totalUsers: number; activeUsers: number; newUsers: number }> {
  return db
    .selectFrom("users")
    .select([
      sql<number>`count(*)`.as("totalUsers"),
      sql<number>`count(*) filter (where last_seen_at >= ${startAt})`.as("activeUsers"),
      sql<number>`count(*) filter (where first_seen_at >= ${startAt})`.as("newUsers"),
    ])
    .where("projectId", "=", projectId)
    .executeTakeFirstOrThrow();
}
