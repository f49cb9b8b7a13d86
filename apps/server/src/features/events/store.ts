import { sql } from "kysely";
import { type Db, statement } from "../../platform/db/db.ts";

/**
 * CTEs that append the events of `source` (lane, user_key, project_id, id, name, props, ts, event_id) and keep, per
 * user and name, how often and when. `fresh_events` are those that were not there before.
 */
export const appendEventsCtes = (source: string): string => `
  fresh_events as (
    insert into events (lane, user_key, id, project_id, name, props, ts, event_id)
    select lane, user_key, id, project_id, name, props, ts, event_id from ${source} order by lane, user_key, id
    on conflict do nothing
    returning lane, user_key, project_id, id, name, ts
  ),
  counted_events as (
    insert into event_counts as c (lane, user_key, name, project_id, count, first_at, last_at)
    select lane, user_key, name, project_id, count(*), min(ts), max(ts) from fresh_events
    group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (lane, user_key, name) do update
      set count = c.count + excluded.count,
        first_at = least(c.first_at, excluded.first_at),
        last_at = greatest(c.last_at, excluded.last_at)
  )`;

/** Columns: lane, user_key, event_id, name, props. Answers in order: is the stored event the same one? */
export const compareEvents = statement<{ same: boolean | null }>(
  "compare_events",
  `select e.name = i.name and e.props is not distinct from i.props as same
  from unnest($1::int2[], $2::uuid[], $3::text[], $4::text[], $5::jsonb[])
    with ordinality as i (lane, user_key, event_id, name, props, ord)
  left join events e on e.lane = i.lane and e.user_key = i.user_key and e.event_id = i.event_id
  order by i.ord`,
);

/** Users and names whose kept count or times differ from the events themselves. */
export async function countEventDifferencesAcrossProjects(db: Db): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences
    from (
      select lane, user_key, name, count(*) as count, min(ts) as first_at, max(ts) as last_at
      from events group by 1, 2, 3
    ) counted
    full join event_counts kept using (lane, user_key, name)
    where (counted.count, counted.first_at, counted.last_at)
      is distinct from (kept.count, kept.first_at, kept.last_at)`.execute(db);
  return rows[0]?.differences ?? 0;
}

/** Events whose user is not known. */
export async function countOrphanEventsAcrossProjects(db: Db): Promise<number> {
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences from event_counts c
    where not exists (
      select from users u where u.lane = c.lane and u.user_key = c.user_key and u.project_id = c.project_id
    )`.execute(db);
  return rows[0]?.differences ?? 0;
}
