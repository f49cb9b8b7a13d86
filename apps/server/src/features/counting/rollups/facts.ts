import { VISITOR_PREFIX } from "../../../domain/visitors.pure.ts";
import type { Fragment, Relation } from "../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { MAX_COUNTED_KEYS, MAX_KEY_BYTES } from "./rules.ts";

// A statement that changes what the rollups count writes its delta (a row of `rollup_deltas`) itself, so that both are one commit.

/** Columns of every relation that facts are made from: they tell the project. */
type ProjectColumn = "lane" | "project_id";

const DAY = "86400000";

/** Facts of new events in `source`. */
export const eventFacts = (source: Relation<ProjectColumn | "name" | "ts" | "shape">): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id, jsonb_build_array('event', name, day, shape::jsonb, count(*), max(ts)) as fact
  from (select lane, project_id, name, ts, shape, ts / ${DAY} as day from ${source}) happened
  group by project_id, name, day, shape`);

/** The properties of an event that are counted, as a relation (key, type); `props` is SQL for the event's props. Equals `shapeOf`. */
export const countedProperties = (props: string): SqlText =>
  sqlText(`
  select p.key, jsonb_typeof(p.value) as type from jsonb_each(${props}) p
  where octet_length(p.key) <= ${MAX_KEY_BYTES} order by p.key collate "C" limit ${MAX_COUNTED_KEYS}`);

/** Stored events of `source` with their day and shape. */
const shapedEvents = (source: Relation<ProjectColumn | "name" | "props" | "ts">): SqlText =>
  sqlText(`
  select lane, project_id, name, ts, ts / ${DAY} as day, coalesce((
    select jsonb_agg(jsonb_build_array(key, type)) from (${countedProperties("props")}) noted
  ), '[]') as shape
  from ${source}`);

/** Facts of erased events in `source`, with the instant of the last one. */
export const erasedEventFacts = (source: Relation<ProjectColumn | "name" | "props" | "ts">): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id, jsonb_build_array('event', name, day, shape, -count(*), max(ts)) as fact
  from (${shapedEvents(source)}) happened
  group by project_id, name, day, shape`);

/** Facts of events in `source` that were deleted for their age: they stay in the totals. */
export const retiredEventFacts = (source: Relation<ProjectColumn | "name" | "props" | "ts">): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id, jsonb_build_array('retired', name, day, shape, count(*)) as fact
  from (${shapedEvents(source)}) happened
  group by project_id, name, day, shape`);

/** Facts of users who are erased after events of theirs were deleted for their age, in `source`. */
export const forgottenEventFacts = (source: Relation<ProjectColumn | "name" | "retired">): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id, jsonb_build_array('forgotten', name, sum(retired)) as fact
  from ${source} where retired > 0 group by project_id, name`);

/** Facts of erased users in `source`, who no longer count as users of an event. */
export const erasedFirstFacts = (source: Relation<ProjectColumn | "name">): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id, jsonb_build_array('first', name, -count(*)) as fact
  from ${source} group by project_id, name`);

/** Facts of users who did something for the first time, in `source`. */
export const firstEventFacts = (source: Relation<ProjectColumn | "name" | "is_first">): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id, jsonb_build_array('first', name, count(*)) as fact
  from ${source} where is_first group by project_id, name`);

/** SQL: how the user of a row of `users` is counted, as one of the `users` or of the `visitors`. */
export const userKindSql = (alias: string): SqlText =>
  sqlText(
    `case when starts_with(${alias}.external_id, '${VISITOR_PREFIX}') then 'visitors' else 'users' end`,
  );

/** Facts of users who came or went, in `source`, by kind. `count` is SQL of what a row adds: 1 or -1, or 0. */
export const userFacts = (source: Relation<ProjectColumn | "kind">, count: string): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id, jsonb_build_array('users', kind, sum(${count})) as fact
  from ${source} group by project_id, kind having sum(${count}) <> 0`);

/** Facts of what became of deliveries, in `source` (for shown, clicked and converted 0, 1, or -1). */
export const deliveryFacts = (
  source: Relation<ProjectColumn | "at" | "shown" | "clicked" | "converted">,
): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id,
    jsonb_build_array('delivery', day, sum(shown), sum(clicked), sum(converted)) as fact
  from (select *, at / ${DAY} as day from ${source}) happened
  group by project_id, day having sum(shown) <> 0 or sum(clicked) <> 0 or sum(converted) <> 0`);

/** Facts of traits that changed, in `source`: by type, and by value where it is short. */
export const traitFacts = (source: Relation<ProjectColumn | "before" | "after">): SqlText =>
  sqlText(`
  select min(lane) as lane, project_id, jsonb_build_array('trait', key, type, sum(users)) as fact
  from (
    select lane, project_id, t.key, jsonb_typeof(t.value) as type, side.users
    from ${source}, lateral (values (before, -1), (after, 1)) side (traits, users), jsonb_each(side.traits) t
  ) sides
  where type <> 'null' and octet_length(key) <= ${MAX_KEY_BYTES} group by project_id, key, type having sum(users) <> 0
  union all
  select min(lane), project_id, jsonb_build_array('value', key, value, sum(users))
  from (
    select lane, project_id, t.key, t.value #>> '{}' as value, side.users
    from ${source}, lateral (values (before, -1), (after, 1)) side (traits, users), jsonb_each(side.traits) t
    where jsonb_typeof(t.value) = 'string' and length(t.value #>> '{}') between 1 and 40
      and octet_length(t.key) <= ${MAX_KEY_BYTES}
  ) sides
  group by project_id, key, value having sum(users) <> 0`);

/** CTE that writes facts as deltas: one row per project, none without facts. */
export const deltasCte = (...facts: readonly SqlText[]): Fragment => ({
  ctes: sqlText(`
  noted as (
    insert into ${t.rollupDeltas} (lane, project_id, facts)
    select min(lane), project_id, jsonb_agg(fact)
    from (${facts.join(" union all ")}) facts group by project_id
  )`),
});
