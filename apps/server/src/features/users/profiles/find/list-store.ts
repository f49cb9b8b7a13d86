import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import {
  type Listed,
  listByIndex,
  listByReading,
  type PageAt,
  type Stretch,
} from "../../../../platform/db/long-list.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { readUserCounts } from "../../../counting/rollups/public.ts";
import type { UserKind } from "../../identities/kinds.pure.ts";
import { isOfKindSql, laneSql } from "../../identities/public.ts";
import { type EndUserRow, type UserFilter, userConditions } from "../store.ts";

/** A user's place in the list: those first seen last come before the others; within one millisecond by key, descending. */
export type UserPlace = { firstSeenAt: number; userKey: string };

/** `among`: how many users are looked at where each has to be read for the filter. */
type Listing = Stretch<UserPlace> & { kind: UserKind; filter: UserFilter; among: number };

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql.join(conditions, sql` and `);

const placeSql = ({ firstSeenAt, userKey }: UserPlace): RawBuilder<unknown> =>
  sql`(${firstSeenAt}::int8, ${userKey}::uuid)`;

const isBehind = (place: UserPlace | null): RawBuilder<unknown>[] =>
  place === null ? [] : [sql`(first_seen_at, user_key) < ${placeSql(place)}`];

const isUpTo = (place: UserPlace | null): RawBuilder<unknown>[] =>
  place === null ? [] : [sql`(first_seen_at, user_key) >= ${placeSql(place)}`];

const ofKind = (projectId: string, kind: UserKind): RawBuilder<unknown>[] => [
  sql`project_id = ${projectId}`,
  isOfKindSql("users", kind),
];

async function countMatching(db: Db, conditions: readonly RawBuilder<unknown>[]): Promise<number> {
  const { rows } = await sql<{
    total: number;
  }>`select count(*) as total from ${t.users} where ${all(conditions)}`.execute(db);
  return rows[0]?.total ?? 0;
}

const NEWEST_FIRST = sql`first_seen_at desc, user_key desc`;
const OLDEST_FIRST = sql`first_seen_at, user_key`;

/** The users at some places of the list. They are found by an index alone where it knows the conditions; only the users of the page are read. */
async function readPage(
  db: Db,
  projectId: string,
  conditions: readonly RawBuilder<unknown>[],
  { fromEnd, offset, limit }: PageAt,
): Promise<EndUserRow[]> {
  const { rows } = await sql<EndUserRow>`
    select u.lane, u.user_key as "userKey", u.external_id as "externalId", u.traits, u.first_seen_at as "firstSeenAt",
      u.last_seen_at as "lastSeenAt"
    from (
      select user_key from ${t.users} where ${all(conditions)}
      order by ${fromEnd ? OLDEST_FIRST : NEWEST_FIRST} offset ${offset} limit ${limit}
    ) page
    join ${t.users} u on u.lane = ${laneSql("page.user_key")} and u.user_key = page.user_key and u.project_id = ${projectId}
    order by u.first_seen_at desc, u.user_key desc`.execute(db);
  return rows;
}

/** Of the users behind a place, the last one that is looked at; null where all of them are. */
async function lastLookedAt(
  db: Db,
  conditions: readonly RawBuilder<unknown>[],
  among: number,
): Promise<UserPlace | null> {
  const { rows } = await sql<UserPlace>`
    select first_seen_at as "firstSeenAt", user_key as "userKey" from ${t.users}
    where ${all(conditions)} order by ${NEWEST_FIRST} offset ${among - 1} limit 2`.execute(db);
  return rows.length < 2 ? null : (rows[0] ?? null);
}

const userPlace = ({ firstSeenAt, userKey }: EndUserRow): UserPlace => ({ firstSeenAt, userKey });

async function countAll(db: Db, projectId: string, kind: UserKind): Promise<number> {
  const { users, visitors } = await readUserCounts(db, projectId);
  return { users, visitors, both: users + visitors }[kind];
}

/** The users of a kind in their order, those whom a filter matches. Where an index knows all that is asked, only the users of the page are read. */
export async function listUsers(
  db: Db,
  projectId: string,
  { kind, filter, among, ...stretch }: Listing,
): Promise<Listed<EndUserRow, UserPlace>> {
  const { q, traitKey, activeSince, firstSeenSince } = filter;
  const listed = ofKind(projectId, kind);
  const behind = [...listed, ...isBehind(stretch.after)];
  if (q !== undefined || traitKey !== undefined || activeSince !== undefined) {
    const end = await lastLookedAt(db, behind, among);
    const matching = [...behind, ...isUpTo(end), ...userConditions(filter)];
    const reads = {
      readPage: (at: PageAt) => readPage(db, projectId, matching, at),
      count: () => countMatching(db, matching),
    };
    return listByReading(stretch, end, reads, userPlace);
  }
  const since = userConditions({ firstSeenSince });
  const total = await (since.length === 0
    ? countAll(db, projectId, kind)
    : countMatching(db, [...listed, ...since]));
  return listByIndex(stretch, total, (at) => readPage(db, projectId, [...behind, ...since], at), userPlace);
}

/** The numbers of all users, of those seen, or first seen, at or after an instant, and of all visitors. */
export async function countUsers(
  db: Db,
  projectId: string,
  startAt: number,
): Promise<{ totalUsers: number; activeUsers: number; newUsers: number; visitors: number }> {
  const { users, visitors } = await readUserCounts(db, projectId);
  const known = ofKind(projectId, "users");
  return {
    totalUsers: users,
    activeUsers: await countMatching(db, [...known, sql`last_seen_at >= ${startAt}`]),
    newUsers: await countMatching(db, [...known, sql`first_seen_at >= ${startAt}`]),
    visitors,
  };
}
