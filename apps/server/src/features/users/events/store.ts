import { type Fragment, type Relation, relation } from "../../../platform/db/statements/fragment.ts";
import { sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

type EventColumn = "lane" | "user_key" | "event_id" | "project_id" | "name" | "ts";

/** `freshEvents` were not there before; `is_first` tells of each user and event name whether it was the first time. */
type AppendedEvents = {
  freshEvents: Relation<EventColumn>;
  countedEvents: Relation<"lane" | "project_id" | "name" | "is_first">;
};

/**
 * CTEs that insert the events of `source` and count them per user and name, with the first and last time.
 * @param may what one of them may be, or else the statement does not look: history (`is_history`); recorded already, which fails a
 *   statement that does not look (unique violation)
 */
export function appendEventsCtes(
  source: Relation<EventColumn | "props" | "is_history">,
  may: { history: boolean; repeats: boolean },
): Fragment<AppendedEvents> {
  const appended: AppendedEvents = {
    freshEvents: relation("fresh_events"),
    countedEvents: relation("counted_events"),
  };
  const { freshEvents, countedEvents } = appended;
  const [history, counted] = may.history
    ? [
        "count(*) filter (where is_history)",
        `(select f.*, i.is_history from ${freshEvents} f join ${source} i using (lane, user_key, event_id)) happened`,
      ]
    : ["0", freshEvents];
  const ctes = sqlText(`
  ${freshEvents} as (
    insert into ${t.events} (lane, user_key, event_id, project_id, name, props, ts)
    select lane, user_key, event_id, project_id, name, props, ts from ${source}
    order by lane, user_key, event_id
    ${may.repeats ? "on conflict (lane, user_key, event_id) do nothing" : ""}
    returning lane, user_key, event_id, project_id, name, ts
  ),
  ${countedEvents} as (
    insert into ${t.eventCounts} as c (lane, user_key, name, project_id, count, history, first_at, last_at)
    select lane, user_key, name, project_id, count(*), ${history}, min(ts), max(ts) from ${counted}
    group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (lane, user_key, name) do update
      set count = c.count + excluded.count,
        history = c.history + excluded.history,
        first_at = least(c.first_at, excluded.first_at),
        last_at = greatest(c.last_at, excluded.last_at)
    -- xmax is 0 for an inserted row, and the updating transaction for an updated one.
    returning c.lane, c.project_id, c.name, c.xmax = 0 as is_first
  )`);
  return { ctes, ...appended };
}

/** An event that was sent again, to compare with the one that is stored. `props` is compact JSON. */
export type RepeatedEvent = {
  lane: number;
  userKey: string;
  eventId: string;
  name: string;
  props: string | null;
};

/**
 * Answers in order whether the stored event of that user and eventId is the same; null where there is none. While the events of an erased
 * user with the same id are still being deleted, the statement fails and is tried again, since they are not the new user's.
 */
export const compareEvents = rowsStatement<RepeatedEvent, { same: boolean | null }>(
  { name: "compare_events", reach: "key" },
  { lane: "int2", userKey: "uuid", eventId: "text", name: "text", props: "jsonb" },
  ` select case
    when x.user_key is null then case when e.event_id is not null then e.name = i.name and e.props is not distinct from i.props end
    -- The erasure has ended since this statement began, so the event is recorded anew.
    when refuse_while_erasing(i.lane, i.user_key) then null
  end as same
  from input i
  left join ${t.erasingUsers} x on x.lane = i.lane and x.user_key = i.user_key
  left join ${t.events} e on e.lane = i.lane and e.user_key = i.user_key and e.event_id = i.event_id
  order by i.ord`,
);
