import { beginningOf } from "@tidings/client/text";
import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { inIndexOrder } from "../../../platform/db/in-index-order.ts";
import type { SqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { textQuery } from "../../../platform/db/statements/text-query.ts";
import type { Limits } from "../../../platform/limits.ts";
import { userKindSql } from "./facts.ts";
import { MAX_COUNTED_KEYS, MAX_KEY_BYTES, OTHER_NAME, OTHER_TYPE } from "./rules.ts";

/** A trait with more values is crowded: its values are not counted, since too many cannot be offered as a choice. */
const MAX_VALUES = 50;

/** The most that one transaction applies: so many deltas of so many stored bytes, but always at least one. */
const PIECE_DELTAS = 500;
const PIECE_BYTES = 131_072;

/** How many names a project's rollups have rows for; names beyond that are counted together. */
export type RollupLimits = Pick<Limits, "projectEventNames" | "eventPropertyKeys" | "projectTraitKeys">;

/** The facts in the deltas of a piece, and those about events. $1 is the project, $2 the ids of the deltas. */
const FACTS = `
  facts as materialized (
    select n.id, fact ->> 0 as kind, fact
    from ${t.rollupDeltas} n, jsonb_array_elements(n.facts) fact
    where n.project_id = $1::uuid and n.id = any($2::int8[]) and n.fault is null
  ),
  event_facts as materialized (
    select id, kind = 'retired' as is_retired, fact ->> 1 as name, (fact ->> 2)::int as day, fact -> 3 as shape,
      (fact ->> 4)::int8 as count, (fact ->> 5)::int8 as at
    from facts where kind in ('event', 'retired')
  )`;

/** SQL that adds sums to the project's rows of a table. */
const addTo = (table: SqlText, keys: string, facts: string, sums: readonly string[]): string => `
  insert into ${table} as kept (project_id, ${keys}, ${sums.join(", ")})
  ${facts}
  order by ${keys}
  on conflict (project_id, ${keys}) do update
    set ${sums.map((sum) => `${sum} = kept.${sum} + excluded.${sum}`).join(", ")}`;

const OTHER = { name: `'${OTHER_NAME}'`, key: `''`, type: `'${OTHER_TYPE}'` };

/**
 * Applies the deltas of a piece to the project's rollups. $3 to $5 are the ceilings.
 *
 * A name or key without a row gets one while there is room and nothing is counted under "other"; otherwise it is counted there. So a name
 * in "other" never has a row of its own, and is subtracted where it was added. Deltas are applied in the order in which they were
 * written, so no count falls below 0, and nothing is left of a name whose row is gone.
 */
const APPLY = `
  with ${FACTS},
  happened as (
    select id, name, 0 as users, case when not is_retired then count else 0 end as occurrences,
      case when is_retired then count else 0 end as retired, case when count > 0 then at end as at
    from event_facts
    union all
    select id, fact ->> 1, (fact ->> 2)::int8, 0, 0, null from facts where kind = 'first'
    union all
    select id, fact ->> 1, 0, -(fact ->> 2)::int8, -(fact ->> 2)::int8, null from facts where kind = 'forgotten'
  ),
  affected as (
    select h.name, k.name is not null as is_known, min(id) as since, sum(h.users) as users, sum(h.occurrences) as occurrences,
      sum(h.retired) as retired, max(h.at) as last_seen_at
    from happened h left join ${t.eventNames} k on k.project_id = $1::uuid and k.name = h.name
    group by h.name, k.name
  ),
  placed as materialized (
    select *, case
      when is_known then name
      when (select exists (select from ${t.eventNames} where project_id = $1::uuid and name = ${OTHER.name})) then ${OTHER.name}
      when row_number() over (partition by is_known order by since, name)
        > $3::int8 - (select count(*) from ${t.eventNames} where project_id = $1::uuid and name <> ${OTHER.name}) then ${OTHER.name}
      else name
    end as kept_as
    from affected
  ),
  names as (
    insert into ${t.eventNames} as kept (project_id, name, users, occurrences, retired, last_seen_at)
    select $1::uuid, kept_as, sum(users), sum(occurrences), sum(retired),
      max(last_seen_at) filter (where kept_as <> ${OTHER.name})
    from placed group by kept_as order by kept_as
    on conflict (project_id, name) do update
      set users = kept.users + excluded.users, occurrences = kept.occurrences + excluded.occurrences,
        retired = kept.retired + excluded.retired, last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)
  ),
  days as (${addTo(
    t.eventDays,
    "day, name",
    `select $1::uuid, e.day, p.kept_as as name, sum(case when is_retired then 0 else count end),
      sum(case when is_retired then count else 0 end)
    from event_facts e join placed p using (name) group by e.day, p.kept_as`,
    ["count", "retired"],
  )}),
  parts as materialized (
    select p.kept_as as name, part ->> 0 as key, part ->> 1 as type, min(e.id) as since,
      sum(case when is_retired then 0 else count end) as count, sum(case when is_retired then count else 0 end) as retired
    from event_facts e join placed p using (name), jsonb_array_elements(e.shape) part
    group by 1, 2, 3
  ),
  keys as materialized (
    select name, key, min(since) as since, exists (
        select from ${t.eventProperties} k
        where k.project_id = $1::uuid and k.name = parts.name and k.key = parts.key and k.type <> ${OTHER.type}
      ) as is_known
    from parts where name <> ${OTHER.name} group by name, key
  ),
  room_for_keys as materialized (
    select name, exists (
        select from ${t.eventProperties} k
        where k.project_id = $1::uuid and k.name = n.name and k.key = ${OTHER.key} and k.type = ${OTHER.type}
      ) as is_full, $4::int8 - (
        select count(distinct k.key) from ${t.eventProperties} k
        where k.project_id = $1::uuid and k.name = n.name and k.type <> ${OTHER.type}
      ) as room
    from (select distinct name from keys where not is_known) n
  ),
  own_keys as materialized (
    select name, key from keys where is_known
    union all
    select name, key from (
      select k.name, k.key, r.is_full, r.room, row_number() over (partition by k.name order by k.since, k.key) as place
      from keys k join room_for_keys r using (name) where not k.is_known
    ) fresh
    where not is_full and place <= room
  ),
  properties as (${addTo(
    t.eventProperties,
    "name, key, type",
    `select $1::uuid, p.name, case when o.key is null then ${OTHER.key} else p.key end as key,
      case when o.key is null then ${OTHER.type} else p.type end as type, sum(count), sum(retired)
    from parts p left join own_keys o on o.name = p.name and o.key = p.key group by 1, 2, 3, 4`,
    ["count", "retired"],
  )}),
  traits as materialized (
    select id, kind, fact ->> 1 as key, fact ->> 2 as what, (fact ->> 3)::int8 as users
    from facts where kind in ('trait', 'value')
  ),
  own_traits as materialized (
    select key from (
      select key, is_known, row_number() over (partition by is_known order by since, key) as place
      from (
        select key, min(id) as since, exists (
            select from ${t.traitKeys} k where k.project_id = $1::uuid and k.key = traits.key and k.type <> ${OTHER.type}
          ) as is_known
        from traits group by key
      ) had
    ) ranked
    where is_known or (
      not (select exists (select from ${t.traitKeys} where project_id = $1::uuid and key = ${OTHER.key} and type = ${OTHER.type}))
      and place <= $5::int8 - (
        select count(distinct key) from ${t.traitKeys} where project_id = $1::uuid and type <> ${OTHER.type}
      )
    )
  ),
  trait_users as (${addTo(
    t.traitKeys,
    "key, type",
    `select $1::uuid, case when o.key is null then ${OTHER.key} else t.key end as key,
      case when o.key is null then ${OTHER.type} else t.what end as type, sum(users)
    from traits t left join own_traits o on o.key = t.key where kind = 'trait' group by 1, 2, 3`,
    ["users"],
  )}),
  "values" as (${addTo(
    t.traitValues,
    "key, value",
    `select $1::uuid, t.key, t.what as value, sum(users)
    from traits t join own_traits o on o.key = t.key
    where kind = 'value'
      and not exists (select from ${t.crowdedTraits} c where c.project_id = $1::uuid and c.key = t.key)
    group by 1, 2, 3`,
    ["users"],
  )}),
  user_sums as (${addTo(
    t.userCounts,
    "kind",
    `select $1::uuid, fact ->> 1 as kind, sum((fact ->> 2)::int8) from facts where kind = 'users' group by 1, 2`,
    ["users"],
  )}),
  delivery_sums as (${addTo(
    t.deliveryDays,
    "day",
    `select $1::uuid, (fact ->> 1)::int as day, sum((fact ->> 2)::int8), sum((fact ->> 3)::int8), sum((fact ->> 4)::int8)
    from facts where kind = 'delivery' group by 1, 2`,
    ["shown", "clicked", "converted"],
  )})
  select exists (select from traits) as "hasTraits",
    exists (select from event_facts where count < 0)
      or exists (select from facts where kind = 'forgotten' or (kind = 'first' and (fact ->> 2)::int8 < 0)) as "hasErased"`;

/**
 * Deletes event names that no user has any more, with their days and properties. Where other users have the name and an erased user was
 * the last to do it, that instant is blurred to the end of its hour, or to now ($3, epoch ms) within that hour: finding the others' last one would mean reading all of them.
 */
const FORGET_NAMES = `
  with ${FACTS},
  erased as (
    select name, max(at) filter (where count < 0) as at from event_facts where not is_retired group by name
    union all
    select fact ->> 1, null from facts where kind in ('first', 'forgotten')
    union all
    select ${OTHER.name}, null
  ),
  affected as materialized (select name, max(at) as at from erased group by name),
  gone as materialized (
    select e.name from ${t.eventNames} e join affected using (name)
    where e.project_id = $1::uuid and e.users = 0 and e.occurrences = 0
  ),
  names as (delete from ${t.eventNames} e using gone where e.project_id = $1::uuid and e.name = gone.name),
  blurred as (
    update ${t.eventNames} e set last_seen_at = greatest(t.at, least((t.at / 3600000 + 1) * 3600000 - 1, $3::int8))
    from affected t
    where e.project_id = $1::uuid and e.name = t.name and e.last_seen_at = t.at
      and not exists (select from gone where gone.name = e.name)
  ),
  days as (
    delete from ${t.eventDays} d
    where d.project_id = $1::uuid and (
      d.name in (select name from gone) or (
        d.count = 0 and d.day in (select day from event_facts) and d.name in (select name from affected)
      )
    )
  )
  delete from ${t.eventProperties} p
  where p.project_id = $1::uuid and p.name in (select name from affected) and (
    p.count = 0 or p.name in (select name from gone)
  )`;

/** Stops counting the values of traits that now have too many, and deletes traits and values that no user has. */
const TIDY_TRAITS = `
  with ${FACTS},
  affected as materialized (
    select distinct fact ->> 1 as key from facts where kind in ('trait', 'value') union select ${OTHER.key}
  ),
  had as materialized (
    select k.key, bool_and(k.users = 0) as is_gone
    from ${t.traitKeys} k join affected using (key) where k.project_id = $1::uuid group by k.key
  ),
  keys as (
    delete from ${t.traitKeys} k using affected t where k.project_id = $1::uuid and k.key = t.key and k.users = 0
  ),
  crowded as materialized (
    select v.key from ${t.traitValues} v join affected using (key)
    where v.project_id = $1::uuid and v.users > 0 group by v.key having count(*) > ${MAX_VALUES}
  ),
  closed as (
    insert into ${t.crowdedTraits} (project_id, key)
    select $1::uuid, key from crowded where key not in (select key from had where is_gone) on conflict do nothing
  ),
  opened as (
    delete from ${t.crowdedTraits} c using had h where c.project_id = $1::uuid and c.key = h.key and h.is_gone
  )
  delete from ${t.traitValues} v using affected t
  where v.project_id = $1::uuid and v.key = t.key
    and (v.users = 0 or v.key in (select key from crowded) or v.key in (select key from had where is_gone))`;

/**
 * The next deltas of a project that one transaction applies, oldest first, and whether there are more. The caller must have locked
 * the project, as `applyPiece` does.
 */
export async function findPiece(tx: Db, projectId: string): Promise<{ ids: number[]; hasMore: boolean }> {
  const { rows } = await inIndexOrder(tx, () =>
    sql<{ id: number; fits: boolean }>`
      select id, sum(pg_column_size(facts)) over (order by id) <= ${PIECE_BYTES} as fits
      from (
        select id, facts from ${t.rollupDeltas} where project_id = ${projectId} and fault is null
        order by id limit ${PIECE_DELTAS + 1}
      ) deltas
      order by id`.execute(tx),
  );
  const ids = rows
    .filter(({ fits }, index) => index === 0 || (fits && index < PIECE_DELTAS))
    .map(({ id }) => id);
  return { ids, hasMore: ids.length < rows.length };
}

/** How deltas are applied. `now` is epoch milliseconds. */
export type Applying = { limits: RollupLimits; now: number };

/** Applies deltas of a project to its rollups, and deletes names that no user has any more. Does not delete the deltas. */
export async function addDeltas(
  tx: Db,
  projectId: string,
  ids: readonly number[],
  { limits, now }: Applying,
): Promise<void> {
  const piece = [projectId, `{${ids.join(",")}}`];
  const [found] = await textQuery<{ hasTraits: boolean; hasErased: boolean }>(tx, APPLY, [
    ...piece,
    limits.projectEventNames,
    limits.eventPropertyKeys,
    limits.projectTraitKeys,
  ]);
  if (found?.hasErased) await textQuery(tx, FORGET_NAMES, [...piece, now]);
  if (found?.hasTraits) await textQuery(tx, TIDY_TRAITS, piece);
}

/** Deletes deltas that have been applied. */
export async function deleteDeltas(tx: Db, projectId: string, ids: readonly number[]): Promise<void> {
  await sql`
    delete from ${t.rollupDeltas}
    where project_id = ${projectId} and id = any(${`{${ids.join(",")}}`}::int8[]) and fault is null`.execute(
    tx,
  );
}

/** Puts a delta aside that cannot be applied; `fault` says why. */
export async function putAside(tx: Db, projectId: string, id: number, fault: string): Promise<void> {
  await sql`
    update ${t.rollupDeltas} set fault = ${beginningOf(fault, 1_000)}
    where project_id = ${projectId} and id = ${id} and fault is null`.execute(tx);
}

/** The age of a project's oldest delta that is not applied, in milliseconds by the database's clock; null where there is none. */
export async function ageOfDeltas(db: Db, projectId: string): Promise<number | null> {
  const { rows } = await sql<{ age: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::int8 - recorded_at as age
    from ${t.rollupDeltas} where project_id = ${projectId} and fault is null order by id limit 1`.execute(db);
  const age = rows[0]?.age;
  return age === undefined ? null : Math.max(0, age);
}

/** Counts the users of a project that has been brought in. Its deltas are applied, so that none adds to this later. */
export async function recountUsers(tx: Db, projectId: string): Promise<void> {
  await sql`delete from ${t.userCounts} where project_id = ${projectId}`.execute(tx);
  await sql`
    insert into ${t.userCounts} (project_id, kind, users)
    select project_id, ${userKindSql("u")}, count(*) from ${t.users} u where project_id = ${projectId} group by 1, 2`.execute(
    tx,
  );
}

/**
 * Subtracts properties that are no longer counted: of each event those after the first fifty. An earlier version counted them. Only events
 * whose name has more than fifty keys can have such. Migration 0033 does the same for all projects.
 */
export async function dropSurplusProperties(tx: Db, projectId: string): Promise<void> {
  await sql`
    with wide as (
      select name from (
        select name, key from ${t.eventProperties} where project_id = ${projectId}
        union
        select fact ->> 1, part ->> 0
        from ${t.rollupDeltas}, jsonb_array_elements(facts) fact,
          jsonb_array_elements(case jsonb_typeof(fact -> 3) when 'array' then fact -> 3 end) part
        where project_id = ${projectId} and fact ->> 0 = 'event'
      ) known
      group by name having count(*) > ${MAX_COUNTED_KEYS}
    )
    insert into ${t.eventProperties} as kept (project_id, name, key, type, count)
    select e.project_id, e.name, p.key, p.type, -count(*)
    from ${t.events} e join wide using (name), lateral (
      select key, jsonb_typeof(value) as type from jsonb_each(e.props)
      where octet_length(key) <= ${MAX_KEY_BYTES} order by key collate "C" offset ${MAX_COUNTED_KEYS}
    ) p
    where e.project_id = ${projectId}
    group by 1, 2, 3, 4
    on conflict (project_id, name, key, type) do update set count = kept.count + excluded.count`.execute(tx);
}

/** The projects that have deltas to apply. */
export async function findPendingAcrossProjects(db: Db): Promise<string[]> {
  const { rows } = await sql<{ projectId: string }>`
    select p.id as "projectId" from ${t.projects} p cross join lateral (
      -- In the order of an index: otherwise those of a project that has none are looked for among all of its neighbours'.
      select from ${t.rollupDeltas} n where n.project_id = p.id and n.fault is null order by n.id limit 1
    ) n`.execute(db);
  return rows.map(({ projectId }) => projectId);
}
