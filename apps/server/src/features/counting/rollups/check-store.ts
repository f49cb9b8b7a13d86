import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { countedProperties, userKindSql } from "./facts.ts";
import { MAX_KEY_BYTES, OTHER_NAME, OTHER_TYPE } from "./rules.ts";

/** The sound facts of deltas that are not applied yet. */
const FACTS = sqlText(`
  facts as materialized (
    select project_id, fact ->> 0 as kind, fact
    from ${t.rollupDeltas} n, jsonb_array_elements(case jsonb_typeof(n.facts) when 'array' then n.facts end) fact
    where n.fault is null and is_sound_fact(fact)
  )`);

/** The name under which a project counts an event (\`of\`: project_id, name): "other" if it counts some events there and this one has no row. */
const keptName = (row: string): SqlText =>
  sqlText(`
  case when exists (select from ${t.eventNames} k where k.project_id = ${row}.project_id and k.name = ${row}.name)
    or not exists (select from ${t.eventNames} k where k.project_id = ${row}.project_id and k.name = '${OTHER_NAME}')
    then ${row}.name else '${OTHER_NAME}' end`);

/** Whether a key is counted together with others (\`of\`: project_id, name under which it is counted, key). */
const isOtherProperty = (row: string): string => `(
  ${row}.name = '${OTHER_NAME}' or (
    exists (
      select from ${t.eventProperties} k
      where k.project_id = ${row}.project_id and k.name = ${row}.name and k.key = '' and k.type = '${OTHER_TYPE}'
    ) and not exists (
      select from ${t.eventProperties} k
      where k.project_id = ${row}.project_id and k.name = ${row}.name and k.key = ${row}.key and k.type <> '${OTHER_TYPE}'
    )
  ))`;

const isOtherTrait = (row: string): string => `(
  exists (
    select from ${t.traitKeys} k where k.project_id = ${row}.project_id and k.key = '' and k.type = '${OTHER_TYPE}'
  ) and not exists (
    select from ${t.traitKeys} k where k.project_id = ${row}.project_id and k.key = ${row}.key and k.type <> '${OTHER_TYPE}'
  ))`;

/** How many rows of `counted` (project_id, keys, sums) differ from the rollups plus the deltas that are not applied yet. */
async function countSumDifferences(
  db: Db,
  { keys, sums, counted, kept }: { keys: string; sums: readonly string[]; counted: string; kept: string },
): Promise<number> {
  const columns = (table: string): string => sums.map((sum) => `coalesce(${table}.${sum}, 0)`).join(", ");
  return countDifferences(
    db,
    sqlText(`
      with ${FACTS},
      kept as (
        select project_id, ${keys}, ${sums.map((sum) => `sum(${sum}) as ${sum}`).join(", ")}
        from (${kept}) parts group by project_id, ${keys}
      )
      select from (${counted}) counted full join kept using (project_id, ${keys})
      where (${columns("counted")}) is distinct from (${columns("kept")})`),
  );
}

/** Sums of `rows` (project_id, name, …) by the name under which they are counted. */
const byKeptName = (rows: string, sums: string): string =>
  `select project_id, ${keptName("r")} as name, ${sums} from (${rows}) r`;

export const countEventNameDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "name",
    sums: ["users", "occurrences", "retired"],
    counted: `select project_id, name, sum(users) as users, sum(occurrences) as occurrences, sum(retired) as retired
      from (${byKeptName(
        `select project_id, name, count(*) as users, sum(count) as occurrences, sum(retired) as retired
        from ${t.eventCounts} group by 1, 2`,
        "users, occurrences, retired",
      )}) named group by 1, 2`,
    kept: `select project_id, name, users, occurrences, retired from ${t.eventNames}
      union all
      ${byKeptName(
        `select project_id, fact ->> 1 as name, 0 as users, (fact ->> 4)::int8 as occurrences, 0 as retired
        from facts where kind = 'event'
        union all select project_id, fact ->> 1, (fact ->> 2)::int8, 0, 0 from facts where kind = 'first'
        union all select project_id, fact ->> 1, 0, 0, (fact ->> 4)::int8 from facts where kind = 'retired'
        union all select project_id, fact ->> 1, 0, -(fact ->> 2)::int8, -(fact ->> 2)::int8 from facts where kind = 'forgotten'`,
        "users, occurrences, retired",
      )}`,
  });

/** Events that were deleted for their age (`retired`) are left out: there is nothing to compare their counts with. */
export const countEventDayDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "day, name",
    sums: ["count"],
    counted: `select project_id, day, name, sum(count) as count
      from (${byKeptName(
        `select project_id, ts / 86400000 as day, name, count(*) as count from ${t.events} group by 1, 2, 3`,
        "day, count",
      )}) named group by 1, 2, 3`,
    kept: `select project_id, name, day, count - retired as count from ${t.eventDays}
      union all
      ${byKeptName(
        `select project_id, fact ->> 1 as name, (fact ->> 2)::int8 as day,
          case kind when 'event' then (fact ->> 4)::int8 else -(fact ->> 4)::int8 end as count
        from facts where kind in ('event', 'retired')`,
        "day, count",
      )}`,
  });

/** Counts of properties (project_id, name, key, type, count) under the names and keys under which they are counted. */
const asKeptProperties = (rows: string): string => `
  select project_id, name, case when is_other then '' else key end as key,
    case when is_other then '${OTHER_TYPE}' else type end as type, count
  from (
    select p.*, ${isOtherProperty("p")} as is_other
    from (${byKeptName(rows, "key, type, count")}) p
  ) placed`;

export const countEventPropertyDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "name, key, type",
    sums: ["count"],
    counted: `select project_id, name, key, type, sum(count) as count
      from (${asKeptProperties(`
        select project_id, name, p.key, p.type, count(*) as count
        from ${t.events}, lateral (${countedProperties("props")}) p group by 1, 2, 3, 4`)}) kept group by 1, 2, 3, 4`,
    kept: `select project_id, name, key, type, count - retired as count from ${t.eventProperties}
      union all
      ${asKeptProperties(`
        select project_id, fact ->> 1 as name, part ->> 0 as key, part ->> 1 as type,
          case kind when 'event' then (fact ->> 4)::int8 else -(fact ->> 4)::int8 end as count
        from facts, jsonb_array_elements(case when kind in ('event', 'retired') then fact -> 3 end) part`)}`,
  });

const asKeptTraits = (rows: string): string => `
  select project_id, case when is_other then '' else key end as key,
    case when is_other then '${OTHER_TYPE}' else type end as type, users
  from (select t.*, ${isOtherTrait("t")} as is_other from (${rows}) t) placed`;

export const countTraitDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "key, type",
    sums: ["users"],
    counted: `select project_id, key, type, sum(users) as users
      from (${asKeptTraits(`
        select project_id, t.key, jsonb_typeof(t.value) as type, count(*) as users
        from ${t.users}, jsonb_each(traits) t
        where jsonb_typeof(t.value) <> 'null' and octet_length(t.key) <= ${MAX_KEY_BYTES} group by 1, 2, 3`)}) kept
      group by 1, 2, 3`,
    kept: `select project_id, key, type, users from ${t.traitKeys}
      union all
      ${asKeptTraits(`
        select project_id, fact ->> 1 as key, fact ->> 2 as type, (fact ->> 3)::int8 as users
        from facts where kind = 'trait'`)}`,
  });

export const countUserCountDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "kind",
    sums: ["users"],
    counted: `select project_id, ${userKindSql("u")} as kind, count(*) as users from ${t.users} u group by 1, 2`,
    kept: `select project_id, kind, users from ${t.userCounts}
      union all
      select project_id, fact ->> 1, (fact ->> 2)::int8 from facts where kind = 'users'`,
  });

/** Crowded traits and traits that are counted together are left out: their values are not counted. */
export const countTraitValueDifferencesAcrossProjects = (db: Db): Promise<number> => {
  const uncrowded = (table: string): string =>
    `not ${isOtherTrait(table)} and not exists (select from ${t.crowdedTraits} c where c.project_id = ${table}.project_id and c.key = ${table}.key)`;
  return countSumDifferences(db, {
    keys: "key, value",
    sums: ["users"],
    counted: `select project_id, key, value, count(*) as users
      from (
        select project_id, t.key, t.value #>> '{}' as value from ${t.users}, jsonb_each(traits) t
        where jsonb_typeof(t.value) = 'string' and octet_length(t.key) <= ${MAX_KEY_BYTES}
      ) had
      where length(value) between 1 and 40 and ${uncrowded("had")} group by 1, 2, 3`,
    kept: `select project_id, key, value, users from ${t.traitValues}
      union all
      select * from (
        select project_id, fact ->> 1 as key, fact ->> 2, (fact ->> 3)::int8 from facts where kind = 'value'
      ) noted where ${uncrowded("noted")}`,
  });
};

export const countDeliveryDayDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "day",
    sums: ["shown", "clicked", "converted"],
    counted: `select project_id, at / 86400000 as day, count(*) filter (where kind = 'shown') as shown,
        count(*) filter (where kind = 'clicked') as clicked, count(*) filter (where kind = 'converted') as converted
      from ${t.deliveries}, lateral (
        values ('shown', shown_at), ('clicked', clicked_at), ('converted', converted_at)
      ) instant (kind, at)
      where at is not null group by 1, 2`,
    kept: `select project_id, day, shown, clicked, converted from ${t.deliveryDays}
      union all
      select project_id, (fact ->> 1)::int8, (fact ->> 2)::int8, (fact ->> 3)::int8, (fact ->> 4)::int8
      from facts where kind = 'delivery'`,
  });

/** Event names whose stored last time is before their users' last time. It may be later, where an erased user was the last one. */
export const countEventNamesLeftBehindAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    with ${FACTS}
    select from (select project_id, name, max(last_at) as last_at from ${t.eventCounts} group by 1, 2) counted
    left join (
      select project_id, name, max(last_seen_at) as last_seen_at
      from (
        select project_id, name, last_seen_at from ${t.eventNames}
        union all
        select project_id, fact ->> 1, (fact ->> 5)::int8 from facts where kind = 'event'
      ) parts group by 1, 2
    ) kept using (project_id, name)
    where (kept.last_seen_at is null or kept.last_seen_at < counted.last_at)
      and ${keptName("counted")} <> ${OTHER_NAME}`,
  );

/** Deltas that cannot be applied to the rollups: their facts are counted nowhere. */
export const countFaultyDeltasAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.rollupDeltas} n
    where fault is not null or jsonb_typeof(facts) <> 'array' or exists (
      select from jsonb_array_elements(case jsonb_typeof(n.facts) when 'array' then n.facts end) fact
      where not is_sound_fact(fact)
    )`,
  );
