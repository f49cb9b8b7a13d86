import { sql } from "kysely";
import { countDifferences } from "../../platform/db/count-differences.ts";
import type { Db } from "../../platform/db/db.ts";
import { MAX_KEY_BYTES } from "./rules.ts";

/** Rows of `counted` (project_id, keys, sums) that differ from what is kept, notes that are not folded yet included. */
async function countSumDifferences(
  db: Db,
  { keys, sums, counted, kept }: { keys: string; sums: readonly string[]; counted: string; kept: string },
): Promise<number> {
  const columns = (table: string): string => sums.map((sum) => `coalesce(${table}.${sum}, 0)`).join(", ");
  return countDifferences(
    db,
    sql.raw(`
      with facts as materialized (
        select project_id, fact ->> 0 as kind, fact from rollup_notes, jsonb_array_elements(facts) fact
      ),
      kept as (
        select project_id, ${keys}, ${sums.map((sum) => `sum(${sum}) as ${sum}`).join(", ")}
        from (${kept}) parts group by project_id, ${keys}
      )
      select from (${counted}) counted full join kept using (project_id, ${keys})
      where (${columns("counted")}) is distinct from (${columns("kept")})`),
  );
}

export const countEventNameDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "name",
    sums: ["users", "occurrences"],
    counted:
      "select project_id, name, count(*) as users, sum(count) as occurrences from event_counts group by 1, 2",
    kept: `select project_id, name, users, occurrences from event_names
      union all select project_id, fact ->> 1, 0, (fact ->> 4)::int8 from facts where kind = 'event'
      union all select project_id, fact ->> 1, (fact ->> 2)::int8, 0 from facts where kind = 'first'`,
  });

export const countEventDayDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "day, name",
    sums: ["count"],
    counted: "select project_id, ts / 86400000 as day, name, count(*) as count from events group by 1, 2, 3",
    kept: `select project_id, day, name, count from event_days
      union all
      select project_id, (fact ->> 2)::int8, fact ->> 1, (fact ->> 4)::int8 from facts where kind = 'event'`,
  });

export const countEventPropertyDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "name, key, type",
    sums: ["count"],
    counted: `select project_id, name, p.key, jsonb_typeof(p.value) as type, count(*) as count
      from events, jsonb_each(props) p where octet_length(p.key) <= ${MAX_KEY_BYTES} group by 1, 2, 3, 4`,
    kept: `select project_id, name, key, type, count from event_properties
      union all
      select project_id, fact ->> 1, part ->> 0, part ->> 1, (fact ->> 4)::int8
      from facts, jsonb_array_elements(case kind when 'event' then fact -> 3 end) part`,
  });

export const countTraitDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countSumDifferences(db, {
    keys: "key, type",
    sums: ["users"],
    counted: `select project_id, t.key, jsonb_typeof(t.value) as type, count(*) as users
      from users, jsonb_each(traits) t where jsonb_typeof(t.value) <> 'null' and octet_length(t.key) <= ${MAX_KEY_BYTES} group by 1, 2, 3`,
    kept: `select project_id, key, type, users from trait_keys
      union all select project_id, fact ->> 1, fact ->> 2, (fact ->> 3)::int8 from facts where kind = 'trait'`,
  });

/** Crowded traits have no values that are counted, nor any that are kept. */
export const countTraitValueDifferencesAcrossProjects = (db: Db): Promise<number> => {
  const uncrowded = (table: string): string =>
    `not exists (select from crowded_traits c where c.project_id = ${table}.project_id and c.key = ${table}.key)`;
  return countSumDifferences(db, {
    keys: "key, value",
    sums: ["users"],
    counted: `select project_id, key, value, count(*) as users
      from (
        select project_id, t.key, t.value #>> '{}' as value from users, jsonb_each(traits) t
        where jsonb_typeof(t.value) = 'string' and octet_length(t.key) <= ${MAX_KEY_BYTES}
      ) had
      where length(value) between 1 and 40 and ${uncrowded("had")} group by 1, 2, 3`,
    kept: `select project_id, key, value, users from trait_values
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
      from deliveries, lateral (
        values ('shown', shown_at), ('clicked', clicked_at), ('converted', converted_at)
      ) instant (kind, at)
      where at is not null group by 1, 2`,
    kept: `select project_id, day, shown, clicked, converted from delivery_days
      union all
      select project_id, (fact ->> 1)::int8, (fact ->> 2)::int8, (fact ->> 3)::int8, (fact ->> 4)::int8
      from facts where kind = 'delivery'`,
  });

/** Event names that are said to have happened last before they did. What was erased may have been later. */
export const countEventNamesLeftBehindAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (select project_id, name, max(last_at) as last_at from event_counts group by 1, 2) counted
    left join (
      select project_id, name, max(last_seen_at) as last_seen_at
      from (
        select project_id, name, last_seen_at from event_names
        union all
        select project_id, fact ->> 1, (fact ->> 5)::int8 from rollup_notes, jsonb_array_elements(facts) fact
        where fact ->> 0 = 'event'
      ) parts group by 1, 2
    ) kept using (project_id, name)
    where kept.last_seen_at is null or kept.last_seen_at < counted.last_at`,
  );
