import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deltasCte, retiredEventFacts } from "../../counting/rollups/public.ts";
import { startsOf, userOf } from "./starts-store.ts";

/**
 * Deletes events of a project from before an instant (epoch milliseconds), the oldest first, `limit` at most; answers how many. They stay
 * in the counts, which say in `retired` how many are deleted, and in `retired_firsts` when the first of them happened at or after each start
 * of the user (`startsOf`): whether one of them lies in a window that begins there is known for windows of every length. Starts that come
 * later lie after what is deleted. Events that are just being erased are left to the erasure.
 */
export async function retireEvents(
  db: Db,
  projectId: string,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const gone = relation<"lane" | "user_key" | "project_id" | "name" | "props" | "ts">("gone");
  const { rows } = await sql<{ retired: number }>`
    with old as materialized (
      select lane, user_key, event_id from ${t.events}
      where project_id = ${projectId} and ts < ${before}
      order by ts limit ${limit} for update skip locked
    ),
    ${gone} as (
      delete from ${t.events} e using old
      where e.lane = old.lane and e.user_key = old.user_key and e.event_id = old.event_id
      returning e.lane, e.user_key, e.project_id, e.name, e.props, e.ts
    ),
    sums as materialized (
      select lane, user_key, project_id, name, count(*) as retired, max(ts) as until, array_agg(ts) as instants
      from ${gone} group by 1, 2, 3, 4
    ),
    starts as materialized (
      select u.lane, u.user_key, s.starts
      from (select distinct lane, user_key, project_id from sums) u, lateral (
        select array_agg(distinct at order by at) as starts from (${startsOf(userOf("u"))}) each
      ) s
    ),
    -- Locked in the order of every statement that writes counts.
    locked as materialized (
      select c.lane, c.user_key, c.name, s.retired, s.until, s.instants, b.starts
      from ${t.eventCounts} c join sums s using (lane, user_key, name) join starts b using (lane, user_key)
      order by c.lane, c.user_key, c.name for no key update of c
    ),
    counted as (
      update ${t.eventCounts} c
      set retired = c.retired + h.retired, retired_until = greatest(c.retired_until, h.until),
        -- The first one between two neighbouring starts is the first at or after the earlier of them.
        retired_firsts = (
          select array_agg(first order by first) from (
            select min(at) as first from unnest(c.retired_firsts || h.instants) at
            where at >= h.starts[1] group by width_bucket(at, h.starts)
          ) firsts
        )
      from locked h
      where c.lane = h.lane and c.user_key = h.user_key and c.name = h.name
    ),
    ${deltasCte(retiredEventFacts(gone)).ctes}
    select count(*) as retired from ${gone}`.execute(db);
  return rows[0]?.retired ?? 0;
}

/**
 * Keeps what is known of events that were deleted before `retired_firsts` was: when the first and the last of them happened. Migration
 * 0083 does the same for all projects.
 */
export async function keepKnownFirsts(tx: Db, projectId: string): Promise<void> {
  await sql`
    update ${t.eventCounts} set retired_firsts = array[first_at, retired_until]
    where project_id = ${projectId} and retired > 0`.execute(tx);
}

/** The projects that do not keep their events for ever. */
export async function findWithRetentionAcrossProjects(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom("settings")
    .select("projectId")
    .where("key", "=", "retention.eventsDays")
    .execute();
  return rows.map(({ projectId }) => projectId);
}
