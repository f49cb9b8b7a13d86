import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/fragment.ts";
import { deltasCte, retiredEventFacts } from "../../counting/rollups/public.ts";

/**
 * Deletes events of a project from before an instant (epoch milliseconds), the oldest first, `limit` at most; answers how many. They stay
 * in the counts, which say in `retired` how many are deleted. Events that are just being erased are left to the erasure.
 */
export async function retireEvents(
  db: Db,
  projectId: string,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const gone = relation<"lane" | "user_key" | "project_id" | "name" | "props" | "ts">("gone");
  const { rows } = await sql<{ retired: number }>`
    with old as materialized (
      select lane, user_key, event_id from events
      where project_id = ${projectId} and ts < ${before}
      order by ts limit ${limit} for update skip locked
    ),
    ${sql.raw(gone)} as (
      delete from events e using old
      where e.lane = old.lane and e.user_key = old.user_key and e.event_id = old.event_id
      returning e.lane, e.user_key, e.project_id, e.name, e.props, e.ts
    ),
    sums as materialized (
      select lane, user_key, name, count(*) as retired, max(ts) as until from ${sql.raw(gone)} group by 1, 2, 3
    ),
    -- Locked in the order of every statement that writes counts.
    locked as materialized (
      select c.lane, c.user_key, c.name, s.retired, s.until
      from event_counts c join sums s using (lane, user_key, name)
      order by c.lane, c.user_key, c.name for no key update of c
    ),
    counted as (
      update event_counts c
      set retired = c.retired + h.retired, retired_until = greatest(c.retired_until, h.until)
      from locked h
      where c.lane = h.lane and c.user_key = h.user_key and c.name = h.name
    ),
    ${sql.raw(deltasCte(retiredEventFacts(gone)).ctes)}
    select count(*) as retired from ${sql.raw(gone)}`.execute(db);
  return rows[0]?.retired ?? 0;
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
