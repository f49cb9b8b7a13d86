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
    returning u.user_key, u.xmax = 0 as is_new
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
export const identifyUsers = rowsStatement<Identified, { lane: number }>(
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
  -- Locked, so that what the traits were is what the merge finds.
  known as (
    select u.lane, u.user_key, u.traits from users u join input i on i.lane = u.lane and i.user_key = u.user_key
    order by u.lane, u.user_key for update of u
  ),
  merged as (
    select i.*, k.traits as before, coalesce(k.traits || i.traits, i.traits) as after
    from input i left join known k on k.lane = i.lane and k.user_key = i.user_key
  ),
  identified as (
    insert into users as u (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, after, ts, ts from merged order by lane, user_key
    on conflict (lane, user_key) do update
      set traits = excluded.traits, last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at)
    returning u.lane, u.user_key, u.xmax = 0 as is_new
  ),
  -- Counted after their rows are held: a user who is being erased takes the old count along.
  held as (
    select i.lane, i.user_key, i.project_id, i.period
    from input i join identified u on u.lane = i.lane and u.user_key = i.user_key
  ),
  changed as (
    select m.lane, m.project_id, coalesce(m.before, '{}') as before, m.after
    from merged m join identified i on i.lane = m.lane and i.user_key = m.user_key
    where m.before is distinct from m.after
      -- Made by somebody else in between: all of it is done again, and then it is known.
      and (m.before is not null or i.is_new or raise_contention())
  ),
  ${noteFactsCte(traitFacts("changed"))},
  ${countActiveCtes("held")}
  select lane from input`,
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
