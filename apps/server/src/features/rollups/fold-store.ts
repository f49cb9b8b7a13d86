import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { lockUntilCommit } from "../../platform/db/lock.ts";

/** Values of a trait beyond which it is nothing to pick from. */
const MAX_VALUES = 50;

/** A project's rollups to a table: facts of one kind, summed by key, added to what is there. */
const addTo = (table: string, keys: string, facts: string, sums: readonly string[]): string => `
  insert into ${table} as kept (project_id, ${keys}, ${sums.join(", ")})
  ${facts}
  order by project_id, ${keys}
  on conflict (project_id, ${keys}) do update
    set ${sums.map((sum) => `${sum} = kept.${sum} + excluded.${sum}`).join(", ")}`;

const FOLD = `
  with taken as (delete from rollup_notes returning project_id, facts),
  facts as materialized (
    select project_id, fact ->> 0 as kind, fact from taken, jsonb_array_elements(facts) fact
  ),
  events as materialized (
    select project_id, fact ->> 1 as name, (fact ->> 2)::int as day, fact -> 3 as shape, (fact ->> 4)::int8 as count,
      (fact ->> 5)::int8 as last_ts
    from facts where kind = 'event'
  ),
  names as (
    insert into event_names as kept (project_id, name, users, occurrences, last_seen_at)
    select project_id, name, sum(users), sum(count), max(last_ts)
    from (
      select project_id, name, 0 as users, count, last_ts from events
      union all
      select project_id, fact ->> 1, (fact ->> 2)::int8, 0, null from facts where kind = 'first'
    ) happened
    group by project_id, name order by project_id, name
    on conflict (project_id, name) do update
      set users = kept.users + excluded.users, occurrences = kept.occurrences + excluded.occurrences,
        last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)
  ),
  properties as (${addTo(
    "event_properties",
    "name, key, type",
    `select project_id, name, part ->> 0 as key, part ->> 1 as type, sum(count)
    from events, jsonb_array_elements(shape) part group by 1, 2, 3, 4`,
    ["count"],
  )}),
  days as (${addTo(
    "event_days",
    "day, name",
    "select project_id, day, name, sum(count) from events group by 1, 2, 3",
    ["count"],
  )}),
  traits as (${addTo(
    "trait_keys",
    "key, type",
    `select project_id, fact ->> 1 as key, fact ->> 2 as type, sum((fact ->> 3)::int8)
    from facts where kind = 'trait' group by 1, 2, 3`,
    ["users"],
  )}),
  "values" as (${addTo(
    "trait_values",
    "key, value",
    `select project_id, fact ->> 1 as key, fact ->> 2 as value, sum((fact ->> 3)::int8)
    from facts f where kind = 'value'
      and not exists (select from crowded_traits c where c.project_id = f.project_id and c.key = f.fact ->> 1)
    group by 1, 2, 3`,
    ["users"],
  )}
    returning true
  ),
  deliveries as (${addTo(
    "delivery_days",
    "day",
    `select project_id, (fact ->> 1)::int as day, sum((fact ->> 2)::int8), sum((fact ->> 3)::int8),
      sum((fact ->> 4)::int8)
    from facts where kind = 'delivery' group by 1, 2`,
    ["shown", "clicked", "converted"],
  )})
  select exists (select from "values") as "haveValues"`;

/** Stops counting the values of traits that have come to have too many; forgets values that nobody has. */
const CLOSE_CROWDED = `
  with crowded as (
    select project_id, key from trait_values where users > 0 group by 1, 2 having count(*) > ${MAX_VALUES}
  ),
  closed as (insert into crowded_traits (project_id, key) select * from crowded on conflict do nothing)
  delete from trait_values v
  where users = 0 or exists (select from crowded c where c.project_id = v.project_id and c.key = v.key)`;

/** Adds all notes to what they are notes of, one fold at a time. Needs a transaction. */
export async function foldNotesAcrossProjects(tx: Db): Promise<void> {
  await lockUntilCommit(tx, "foldNotes");
  const { rows } = await sql.raw<{ haveValues: boolean }>(FOLD).execute(tx);
  if (rows[0]?.haveValues) await sql.raw(CLOSE_CROWDED).execute(tx);
}

export async function haveNotesAcrossProjects(db: Db): Promise<boolean> {
  const { rows } = await sql<{ have: boolean }>`select exists (select from rollup_notes) as have`.execute(db);
  return rows[0]?.have ?? false;
}
