import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deltasCte, traitFacts, userFacts, userKindSql } from "../../counting/rollups/public.ts";
import { excessSql, type TraitLimits } from "./store.ts";

type Keyed = UserRef & { externalId: string };

/**
 * Locks the row of a visitor, which is made where there is none: a request that would make it waits, and then finds whom the visitor became.
 * @throws a PostgreSQL error with `SQLSTATE.linked` where the visitor is a user already
 */
async function lockVisitor(tx: Db, projectId: string, visitor: Keyed, now: number): Promise<void> {
  const made = relation<"lane" | "user_key" | "project_id" | "kind">("made");
  await sql`
    with ${made} as (
      insert into ${t.users} as u (lane, user_key, project_id, external_id, first_seen_at, last_seen_at)
      values (${visitor.lane}, ${visitor.userKey}, ${projectId}, ${visitor.externalId}, ${now}, ${now})
      on conflict (lane, user_key) do update set external_id = u.external_id where false
      returning u.lane, u.user_key, u.project_id, ${userKindSql("u")} as kind
    ), ${deltasCte(userFacts(made, "1")).ctes}
    select refuse_while_erasing(array[lane], array[user_key]) from ${made}`.execute(tx);
  await sql`
    select from ${t.users} where lane = ${visitor.lane} and user_key = ${visitor.userKey} and project_id = ${projectId}
    for update`.execute(tx);
}

async function lockKnown(tx: Db, projectId: string, { lane, userKey }: UserRef): Promise<boolean> {
  const { rows } = await sql<object>`
    select 1 as known from ${t.users} where lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}
    for update`.execute(tx);
  return rows.length > 0;
}

/** Locks a visitor and a user in the order of all statements. Answers whether the user is there. `now` is epoch milliseconds. */
export async function lockPair(
  tx: Db,
  projectId: string,
  { visitor, user, now }: { visitor: Keyed; user: UserRef; now: number },
): Promise<boolean> {
  if (user.userKey < visitor.userKey && !(await lockKnown(tx, projectId, user))) return false;
  await lockVisitor(tx, projectId, visitor, now);
  return user.userKey < visitor.userKey || lockKnown(tx, projectId, user);
}

/**
 * Gives a user the traits of a visitor that the user lacks, and deletes the visitor's row. A trait that the server has set stays as
 * it is; where the user would have more traits than a user may have, they get none. `drawsAs`: from now on variants and holdouts are drawn
 * for the user by the visitor's key. Both are locked. Answers how many traits the user did not get for want of room.
 */
export async function adoptProfile(
  tx: Db,
  projectId: string,
  { visitor, user, drawsAs }: { visitor: UserRef; user: UserRef; drawsAs: boolean },
  limits: TraitLimits,
): Promise<number> {
  const changed = relation<"lane" | "project_id" | "before" | "after">("changed");
  const gone = relation<"lane" | "project_id" | "kind">("gone");
  const given = sql`lane = ${visitor.lane} and user_key = ${visitor.userKey} and project_id = ${projectId}`;
  const taker = sql`lane = ${user.lane} and user_key = ${user.userKey} and project_id = ${projectId}`;
  const { rows } = await sql<{ dropped: number }>`
    with ${gone} as (delete from ${t.users} where ${given} returning *, ${userKindSql("users")} as kind),
    v as (select * from ${gone}),
    u as (select * from ${t.users} where ${taker}),
    offered as (
      select v.server_traits as their_server, v.address_given_at as their_given_at, v.first_seen_at as their_first,
        v.last_seen_at as their_last, u.traits as before, coalesce((
          select jsonb_object_agg(key, value) from jsonb_each(v.traits)
          where not u.traits ? key and key <> all(coalesce(u.server_traits, '{}'))
        ), '{}') as traits
      from v, u
    ),
    weighed as materialized (select *, ${sqlText(excessSql("(before || traits)", limits))} is not null as is_too_much from offered),
    taken as (select *, case when is_too_much then '{}' else traits end as given from weighed),
    merged as (
      update ${t.users} m set traits = m.traits || k.given,
        server_traits = nullif(array(
          select unnest(m.server_traits) union select o from unnest(k.their_server) o where k.given ? o
        ), '{}'),
        address_given_at = case when k.given ? 'email' then k.their_given_at else m.address_given_at end,
        first_seen_at = least(m.first_seen_at, k.their_first),
        last_seen_at = greatest(m.last_seen_at, k.their_last),
        drawn_as = case when ${drawsAs} then ${visitor.userKey}::uuid else m.drawn_as end
      from taken k where m.lane = ${user.lane} and m.user_key = ${user.userKey} and m.project_id = ${projectId}
      returning m.lane, m.project_id, k.before, m.traits as after
    ),
    ${changed} as (
      select lane, project_id, before, after from merged
      union all select lane, project_id, traits, '{}'::jsonb from v
    ),
    ${deltasCte(traitFacts(changed), userFacts(gone, "-1")).ctes}
    select case when is_too_much then (select count(*) from jsonb_object_keys(traits)) else 0 end::int4 as dropped
    from weighed`.execute(tx);
  return rows[0]?.dropped ?? 0;
}

/** Counts a visitor among those who became a user, and those who left deliveries. The user is locked; what is done before this is seen as of before. */
export async function joinVisitor(
  tx: Db,
  projectId: string,
  { visitor, user, hasLeft }: { visitor: UserRef; user: UserRef; hasLeft: boolean },
): Promise<void> {
  await sql`
    update ${t.users} set joined = joined + 1,
      left_by = case when ${hasLeft} then array_append(left_by, ${visitor.userKey}::uuid) else left_by end
    where lane = ${user.lane} and user_key = ${user.userKey} and project_id = ${projectId}`.execute(tx);
}

/** Gives users of a project that has been brought in what its links say of them: how many visitors they were, and which left deliveries. */
export async function recountJoined(tx: Db, projectId: string): Promise<void> {
  await sql`
    update ${t.users} u set joined = l.joined, left_by = l.left_by
    from (
      select to_lane, to_user_key, count(*)::int4 as joined, array_agg(user_key order by linked_at, user_key) filter (where units > 0) as left_by
      from ${t.identities} where project_id = ${projectId} group by 1, 2
    ) l
    where u.lane = l.to_lane and u.user_key = l.to_user_key and u.project_id = ${projectId}`.execute(tx);
}
