import { type RawBuilder, type Selectable, sql } from "kysely";
import { apiId, type UserRef } from "../../../domain/ids.ts";
import { isVisitorId } from "../../../domain/visitors.pure.ts";
import { containing } from "../../../platform/db/containing.ts";
import type { Db, Tables } from "../../../platform/db/db.ts";
import {
  type Fragment,
  likeRelation,
  type Relation,
  relation,
} from "../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { Limits } from "../../../platform/limits.ts";
import { farAheadSql, notAhead } from "../../../platform/time/far-ahead.ts";
import { deltasCte, traitFacts, userFacts, userKindSql } from "../../counting/rollups/public.ts";
import { countActiveCtes } from "../../counting/usage/public.ts";
import { userMessagesCte } from "../../webhooks/public.ts";
import type { UserKind } from "../identities/kinds.pure.ts";
import { isOfKindSql } from "../identities/public.ts";
import { NAME_TRAITS } from "./find/name.pure.ts";
import type { EndUser } from "./schema.ts";

/**
 * SQL for the `where` of a select of its own: true, or the statement fails because the events of an erased user with the same id are still
 * being deleted, and is tried again. `made`: the users that the statement inserted; `where` says which of its rows.
 */
function noErasureRuns(made: Relation<"lane" | "user_key">, where = "true"): SqlText {
  const valuesOf = (column: string): string => `array(select m.${column} from ${made} m where ${where})`;
  // Most statements make no user: these are spared the function.
  return sqlText(`case when exists (select from ${made} m where ${where})
    then refuse_while_erasing(${valuesOf("lane")}, ${valuesOf("user_key")}) else true end`);
}

/** Users of a request, and when it came or what it tells of happened (epoch ms). */
type MetUsers = Relation<"lane" | "user_key" | "project_id" | "external_id" | "ts">;

/** The statement has to put `noErasureRuns` alone into the `where` of a select: it is true, or the statement fails. */
type Guarded = { noErasureRuns: SqlText };

/**
 * SQL of when a user was seen last, who was seen at two instants: the later of them. The one of `before` does not count where it lies further
 * ahead of `now` than the clocks of two processes may differ.
 */
const laterSeenSql = (before: string, seenAt: string, now: string): string =>
  `case when ${farAheadSql(before, now, 0)} then ${seenAt} else greatest(${before}, ${seenAt}) end`;

/**
 * CTE that inserts the users of `source` or updates when they were last seen, as part of the statement that records their events.
 * `is_new` in `seenUsers` marks the inserted ones.
 */
export function upsertSeenUsersCte(
  source: Relation<"lane" | "user_key" | "project_id" | "external_id" | "ts" | "now">,
): Fragment<Guarded & { seenUsers: Relation<"lane" | "user_key" | "is_new">; facts: SqlText }> {
  const seenUsers = relation<"lane" | "user_key" | "project_id" | "is_new" | "kind">("seen_users");
  const lastSeenAt = laterSeenSql(
    "u.last_seen_at",
    "excluded.last_seen_at",
    `(select max(now) from ${source})`,
  );
  const ctes = sqlText(`
  ${seenUsers} as (
    insert into ${t.users} as u (lane, user_key, project_id, external_id, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, min(ts), max(ts) from ${source}
    group by 1, 2, 3, 4 order by 1, 2
    on conflict (lane, user_key) do update
      set last_seen_at = ${lastSeenAt},
        first_seen_at = least(u.first_seen_at, excluded.first_seen_at)
      where u.last_seen_at <> ${lastSeenAt} or u.first_seen_at > excluded.first_seen_at
    returning u.lane, u.user_key, u.project_id, u.xmax = 0 as is_new, ${userKindSql("u")} as kind
  )`);
  const facts = userFacts(seenUsers, "is_new::int");
  return { ctes, seenUsers, facts, noErasureRuns: noErasureRuns(seenUsers, "is_new") };
}

/**
 * CTEs that insert the users of `source` who are not known and count them, without counting them as active. Lock the others as well, so that a user
 * who is just being erased is waited for and then inserted anew.
 */
export function insertMissingUsersCte(
  source: MetUsers,
): Fragment<Guarded & { missingUsers: Relation<"lane" | "user_key"> }> {
  const missingUsers = relation<"lane" | "user_key" | "project_id" | "kind">("missing_users");
  const ctes = sqlText(`
  ${missingUsers} as (
    insert into ${t.users} as u (lane, user_key, project_id, external_id, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, min(ts), max(ts) from ${source}
    group by 1, 2, 3, 4 order by 1, 2
    on conflict (lane, user_key) do update set external_id = u.external_id where false
    returning u.lane, u.user_key, u.project_id, ${userKindSql("u")} as kind
  ),
  ${deltasCte(userFacts(missingUsers, "1")).ctes}`);
  return { ctes, missingUsers, noErasureRuns: noErasureRuns(missingUsers) };
}

/** Users who are there once more, at `now` (epoch ms). */
export const seeAgain = rowsStatement<UserRef & { projectId: string; now: number }, object>(
  { name: "see_again", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid", now: "int8" },
  `,
  locked as materialized (
    select u.lane, u.user_key, i.now from input i
    join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    order by u.lane, u.user_key for no key update of u
  ),
  seen as (
    update ${t.users} u set last_seen_at = ${laterSeenSql("u.last_seen_at", "l.now", "l.now")}
    from locked l where u.lane = l.lane and u.user_key = l.user_key
  )
  select from input`,
);

/** The traits that one request merges into one user. Instants are epoch milliseconds. */
export type Identified = UserRef & {
  projectId: string;
  externalId: string;
  /** Traits that are set, as compact JSON without nulls. */
  traits: string;
  /** Names of traits that are removed, as a JSON list; null for none. */
  removed: string | null;
  /** From the secret key: it may change every trait, and from now on only it may change these. */
  isServer: boolean;
  /** The user is proven, so that an address that is there may be replaced. */
  mayMove: boolean;
  ts: number;
  /** When the user was first seen, where that is known to be before `ts`. */
  firstSeenAt: number | null;
  /** The period of active users in which the user is seen; null for history, which makes no user seen or active. */
  period: number | null;
  /** A visitor is seen, and never active. */
  isVisitor: boolean;
};

/** What was not merged: everything, because the user would have too many traits (`excess`), or traits that the key may not change. */
export type Unmerged = { ord: number; excess: "bytes" | "keys" | null; ignored: string[] };

export type TraitLimits = Pick<Limits, "userTraitBytes" | "userTraitKeys">;

/** The most bytes of JSON text for each stored byte: a number stored in 12 bytes can have 330 digits. */
const TEXT_PER_BYTE = 40;

/**
 * SQL for the ceiling that traits break; null where they break none. Most traits are cleared by their stored size, which costs nothing to
 * read: each key takes at least 8 bytes, so few bytes cannot have too many keys.
 */
export const excessSql = (traits: string, { userTraitBytes, userTraitKeys }: TraitLimits): string => `case
    when pg_column_size(${traits}) < ${Math.min(Math.floor(userTraitBytes / TEXT_PER_BYTE), 8 * userTraitKeys)} then null
    when octet_length(${traits}::text) > ${userTraitBytes} then 'bytes'
    when (select count(*) from jsonb_object_keys(${traits})) > ${userTraitKeys} then 'keys'
  end`;

const HAS_ADDRESS = "jsonb_typeof(before -> 'email') = 'string' and before ->> 'email' like '%@%'";

const MADE = relation<"lane" | "user_key" | "project_id" | "traits" | "kind">("made");
const CHANGED = relation<"lane" | "project_id" | "before" | "after">("changed");
const IDENTIFIED = relation<"lane" | "user_key" | "project_id" | "ts">("identified");
const COUNTED = relation<"lane" | "user_key" | "project_id" | "period">("counted");

/**
 * Merges traits into users, at most one row per user, and counts them as active. Answers what it did not merge. Only the secret key
 * changes traits that it has set; the same goes for the address, unless there was none or the user is proven. A user who already
 * exceeds the ceilings may keep or lose traits.
 */
export const identifyUsers = (limits: TraitLimits) =>
  rowsStatement<Identified, Unmerged>(
    { name: "identify_users", reach: "key" },
    {
      lane: "int2",
      userKey: "uuid",
      projectId: "uuid",
      externalId: "text",
      traits: "jsonb",
      removed: "jsonb",
      isServer: "bool",
      mayMove: "bool",
      ts: "int8",
      firstSeenAt: "int8",
      period: "int4",
      isVisitor: "bool",
    },
    `,
  weighed as (select *, ${excessSql("traits", limits)} as excess from input),
  accepted as (select * from weighed where excess is null),
  -- New users are made and all others locked in one pass, in the order of every statement that writes users.
  ${MADE} as (
    insert into ${t.users} as u
      (lane, user_key, project_id, external_id, traits, server_traits, address_given_at, first_seen_at, last_seen_at)
    select lane, user_key, project_id, external_id, traits,
      case when is_server and traits <> '{}' then array(select jsonb_object_keys(traits)) end,
      case when not is_server and traits ? 'email' then ts end, coalesce(first_seen_at, ts),
      case when period is null then coalesce(first_seen_at, ts) else ts end
    from accepted order by lane, user_key
    on conflict (lane, user_key) do update set external_id = u.external_id where false
    returning u.lane, u.user_key, u.project_id, u.traits, ${userKindSql("u")} as kind
  ),
  -- The newest version of the rows that were there before, locked, so that the merge starts from their present traits.
  known as (
    select i.*, u.traits as before, u.server_traits as owned, u.address_given_at as given_at
    from accepted i join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key
    where (select count(*) from ${MADE}) is not null
    for no key update of u
  ),
  -- The traits that this key may not change (barred), then the permitted changes, then the merged traits (after).
  ruled as materialized (
    select *, case when is_server then '{}' else
      coalesce(owned, '{}') || case
        when not may_move and ${HAS_ADDRESS} and 'email' <> all(coalesce(owned, '{}')) then array['email'] else '{}'
      end end as barred
    from known
  ),
  permitted as (
    select *, case when barred = '{}' then traits else traits - barred end as taken,
      case when removed is null then '{}' else
        array(select r from jsonb_array_elements_text(removed) r where r <> all(barred)) end as lost
    from ruled
  ),
  merging as materialized (
    select *, case when lost = '{}' then before || taken else (before || taken) - lost end as after from permitted
  ),
  judged as (
    select *, before <> after as differs, case
        when ${excessSql("after", limits)} is null then null
        when octet_length(after::text) > greatest(${limits.userTraitBytes}, octet_length(before::text)) then 'bytes'
        when (select count(*) from jsonb_object_keys(after))
          > greatest(${limits.userTraitKeys}, (select count(*) from jsonb_object_keys(before))) then 'keys'
      end as refused
    from merging
  ),
  merged as (
    update ${t.users} u set traits = k.after,
      server_traits = case when k.is_server then nullif(array(
          select o from unnest(u.server_traits) o where o <> all(k.lost)
          union select jsonb_object_keys(k.taken)
        ), '{}') else u.server_traits end,
      address_given_at = case
        when k.is_server then case when k.taken ? 'email' or 'email' = any(k.lost) then null else u.address_given_at end
        when k.after -> 'email' is distinct from k.before -> 'email' then case when k.after ? 'email' then k.ts end
        else u.address_given_at
      end,
      first_seen_at = least(u.first_seen_at, k.first_seen_at),
      last_seen_at = case when k.period is not null then ${laterSeenSql("u.last_seen_at", "k.ts", "k.ts")} else u.last_seen_at end
    from judged k where u.lane = k.lane and u.user_key = k.user_key and k.refused is null
  ),
  ${CHANGED} as (
    select lane, project_id, '{}'::jsonb as before, traits as after from ${MADE}
    union all
    select lane, project_id, before, after from judged where differs and refused is null
  ),
  -- Read after the rows are locked: an erasure that had a row first removes the user's earlier count.
  -- What is brought in from a time before counts nobody as active, and says nothing new; the same goes for visitors.
  present as materialized (
    select i.lane, i.user_key, i.project_id, i.ts, i.period, true as is_news
    from ${MADE} m join accepted i on i.user_key = m.user_key where i.period is not null and not i.is_visitor
    union all
    select lane, user_key, project_id, ts, period, differs from judged where refused is null and period is not null and not is_visitor
  ),
  ${IDENTIFIED} as (select lane, user_key, project_id, ts from present where is_news),
  ${COUNTED} as (select lane, user_key, project_id, period from present),
  ${userMessagesCte(IDENTIFIED, "user.identified").ctes},
  ${deltasCte(traitFacts(CHANGED), userFacts(MADE, "1")).ctes},
  ${countActiveCtes(COUNTED).ctes}
  select ord::int4, excess, '{}'::text[] as ignored from weighed where excess is not null
  union all
  select ord::int4, refused, array(
      select b from unnest(barred) b
      where (traits ? b and before -> b is distinct from traits -> b) or (removed ? b and before ? b)
    )
  from judged
  where refused is not null or (barred <> '{}' and (traits ?| barred or removed ?| barred))
  union all
  -- A user who is neither made nor known was inserted by another transaction meanwhile: the statement is repeated, and finds them.
  select null, null, null where case
    when (select count(*) from ${MADE}) + (select count(*) from known) < (select count(*) from accepted)
      then raise_contention() else false end
  union all
  select null, null, null where not ${noErasureRuns(MADE)}`,
  );

/** Answers the positions (from 1) of users who have these traits already, as the server's own, and were seen first no later. */
export const findMergedUsers = rowsStatement<
  Pick<Identified, "lane" | "userKey" | "projectId" | "traits" | "firstSeenAt">,
  { ord: number }
>(
  { name: "find_merged_users", reach: "key" },
  { lane: "int2", userKey: "uuid", projectId: "uuid", traits: "jsonb", firstSeenAt: "int8" },
  ` select i.ord::int4 from input i
  join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
  where u.traits || i.traits = u.traits and u.first_seen_at <= i.first_seen_at
    and array(select jsonb_object_keys(i.traits)) <@ coalesce(u.server_traits, '{}')`,
);

export type UserRow = Selectable<Tables["users"]>;

/** What of a user's row the API shows. */
export type EndUserRow = Pick<
  UserRow,
  "lane" | "userKey" | "externalId" | "traits" | "firstSeenAt" | "lastSeenAt"
>;

/** Users as the API shows them at an instant. */
export const toEndUser =
  (now: number) =>
  ({ userKey, externalId, traits, firstSeenAt, lastSeenAt }: EndUserRow): EndUser => ({
    id: apiId("eu", userKey),
    externalUserId: externalId,
    isVisitor: isVisitorId(externalId),
    // Only checked objects are written to this column.
    traits: traits as EndUser["traits"],
    firstSeenAt: notAhead(firstSeenAt, now),
    lastSeenAt: notAhead(lastSeenAt, now),
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

type GivenAddresses = Relation<"lane" | "user_key" | "project_id" | "address_given_at">;

/**
 * CTEs that confirm the addresses of `source` for mail if they have not changed since. `givenAddresses` has the rows of the source whose
 * address is confirmed, and `confirmedAddresses` each of their users once. Locks the rows in one order first, because one statement updates
 * many.
 */
export function confirmAddressesCtes<Source extends GivenAddresses>(
  source: Source,
): Fragment<{ givenAddresses: Source; confirmedAddresses: GivenAddresses }> {
  const givenAddresses = likeRelation("given_addresses", source);
  const confirmedAddresses: GivenAddresses = relation("confirmed_addresses");
  const ctes = sqlText(`
  ${givenAddresses} as (
    select i.*
    from ${source} i
    join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
      and u.address_given_at = i.address_given_at
    -- Most addresses are confirmed already: without this, their users would be looked up all the same.
    where i.address_given_at is not null
    order by u.lane, u.user_key for no key update of u
  ),
  ${confirmedAddresses} as (
    update ${t.users} u set address_given_at = null
    from ${givenAddresses} g where u.lane = g.lane and u.user_key = g.user_key
    returning u.lane, u.user_key, u.project_id, g.address_given_at
  )`);
  return { ctes, givenAddresses, confirmedAddresses };
}

/** Whether the secret key has set traits of a user. */
export async function isServersUser(db: Db, projectId: string, { lane, userKey }: UserRef): Promise<boolean> {
  const row = await db
    .selectFrom("users")
    .select(sql<boolean>`server_traits is not null`.as("isServers"))
    .where("lane", "=", lane)
    .where("userKey", "=", userKey)
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  return row?.isServers ?? false;
}

/** `undefined` does not filter; instants are epoch milliseconds, and included. `traitValue` goes with `traitKey`. */
export type UserFilter = {
  q?: string | undefined;
  traitKey?: string | undefined;
  traitValue?: string | undefined;
  activeSince?: number | undefined;
  firstSeenSince?: number | undefined;
};

/** SQL conditions on a row of `users`, which is the only table of its query. */
export function userConditions(filter: UserFilter): RawBuilder<boolean>[] {
  const { q, traitKey, traitValue, activeSince, firstSeenSince } = filter;
  const pattern = q === undefined ? "" : containing(q);
  return [
    ...(activeSince === undefined ? [] : [sql<boolean>`last_seen_at >= ${activeSince}`]),
    ...(firstSeenSince === undefined ? [] : [sql<boolean>`first_seen_at >= ${firstSeenSince}`]),
    ...(traitKey === undefined
      ? []
      : [
          sql<boolean>`traits ->> ${traitKey} = ${traitValue}
            and jsonb_typeof(traits -> ${traitKey}) in ('string', 'number', 'boolean')`,
        ]),
    ...(q === undefined
      ? []
      : [sql<boolean>`(external_id ilike ${pattern} or traits::text ilike ${pattern})`]),
  ];
}

/** The users of some keys that the project has. */
export async function findUserRows(db: Db, projectId: string, refs: readonly UserRef[]): Promise<UserRow[]> {
  const [lanes, keys] = [refs.map(({ lane }) => lane), refs.map(({ userKey }) => userKey)];
  return db
    .selectFrom("users")
    .selectAll()
    .where("projectId", "=", projectId)
    .where(sql<boolean>`(lane, user_key) in (select * from unnest(${lanes}::int2[], ${keys}::uuid[]))`)
    .execute();
}

/**
 * `words`: each has to be part of the id, the address or the name. `typed`: what they are of, as a whole. `nameTrait`: a further trait
 * that is a name.
 */
type Search = {
  typed: string;
  words: readonly string[];
  nameTrait: string | null;
  kind: UserKind;
  among: number;
  limit: number;
};

/** SQL for what people know a user by, whatever the project. */
const KNOWN_BY = sqlText(
  `external_id, traits ->> 'email', ${NAME_TRAITS.map((name) => `traits ->> '${name}'`).join(", ")}`,
);

/**
 * Users of a kind like what was typed, among those first seen last, so that the read has an end whatever the number of users. The most exact ones
 * first: by address, then by id, then by name.
 */
export async function searchNewestUsers(
  db: Db,
  projectId: string,
  { typed, words, nameTrait, kind, among, limit }: Search,
): Promise<EndUserRow[]> {
  const { rows } = await sql<EndUserRow>`
    select lane, user_key as "userKey", external_id as "externalId", traits, first_seen_at as "firstSeenAt",
      last_seen_at as "lastSeenAt"
    from (
      select * from ${t.users} k where project_id = ${projectId} and ${isOfKindSql("k", kind)}
      order by first_seen_at desc, user_key desc limit ${among}
    ) u
    where concat_ws(' ', ${KNOWN_BY}, traits ->> ${nameTrait}::text) ilike all (${words.map(containing)}::text[])
    order by (lower(traits ->> 'email') = lower(${typed})) is true desc,
      external_id ilike ${containing(typed)} desc, first_seen_at desc, user_key desc
    limit ${limit}`.execute(db);
  return rows;
}

/** Whether the project has no more users of a kind than `count`. */
export async function areAllAmong(
  db: Db,
  projectId: string,
  kind: UserKind,
  count: number,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${t.users} k where project_id = ${projectId} and ${isOfKindSql("k", kind)}
    order by first_seen_at desc, user_key desc offset ${count} limit 1`.execute(db);
  return rows.length === 0;
}
