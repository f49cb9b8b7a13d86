import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import type { Input } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

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
