import { sql } from "kysely";
import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { type Input, rowsStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";

/** The columns of events that a trigger is made of. */
type Happened = {
  lane: number;
  userKey: string;
  projectId: string;
  eventId: string;
  name: string;
  props: string | null;
  ts: number;
};

/**
 * CTE that keeps each new event for each journey to which its name matters, until the journey has looked at it. It is written in the
 * statement that records the event, so that none is missed.
 */
export const triggersCte = <Event extends Happened>(events: Input<Event>): { ctes: SqlText } => ({
  ctes: sqlText(`
  triggered as (
    insert into ${t.journeyTriggers} (lane, user_key, project_id, journey_id, event_id, name, props, ts)
    select e.lane, e.user_key, e.project_id, j.id, e.event_id, e.name, e.props, e.ts
    from ${events} e
    join ${t.journeys} j on j.project_id = e.project_id and j.status in ('running', 'paused')
    left join ${t.goals} g on g.id = j.goal_id and g.project_id = j.project_id
    where e.name = any(j.trigger_events) or (j.exits_on_goal and e.name = g.target_event)
    order by e.ord, j.id
  )`),
});

/** An event that a journey has not looked at yet. */
export type Trigger = UserRef & {
  seq: number;
  projectId: string;
  journeyId: string;
  eventId: string;
  name: string;
  props: Record<string, unknown> | null;
  ts: number;
};

/** The oldest events that no journey has looked at, but for those of some journeys (UUIDs). */
export async function readTriggersAcrossProjects(
  db: Db,
  { except, limit }: { except: readonly string[]; limit: number },
): Promise<Trigger[]> {
  const { rows } = await sql<Trigger>`
    select seq, lane, user_key as "userKey", project_id as "projectId", journey_id as "journeyId", event_id as "eventId", name, props, ts
    from ${t.journeyTriggers} where journey_id <> all(${[...except]}::uuid[]) order by seq limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Takes events away that were looked at. */
export const deleteTriggers = rowsStatement<
  Pick<Trigger, "lane" | "userKey" | "seq" | "projectId">,
  Record<never, never>
>(
  { name: "delete_journey_triggers", reach: "key" },
  { lane: "int2", userKey: "uuid", seq: "int8", projectId: "uuid" },
  `
  delete from ${t.journeyTriggers} q using input i
  where q.lane = i.lane and q.user_key = i.user_key and q.seq = i.seq and q.project_id = i.project_id`,
);
