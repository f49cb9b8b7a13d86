import { statement } from "../../platform/db/db.ts";
import { convertDeliveriesCtes } from "../deliveries/public.ts";
import { appendEventsCtes } from "../events/public.ts";
import { countActiveCtes } from "../usage/public.ts";
import { upsertSeenUsersCte } from "../users/public.ts";

/**
 * Everything that a tracked event changes, for many events, in one statement: each feature brings the part that writes
 * its own tables. An event that is there already (same user and eventId) changes nothing.
 * Columns: lane, user_key, project_id, external_id, id, name, props, ts, event_id; then the period.
 * Answers the ids of the events that were new.
 */
export const recordEvents = statement<{ id: string }>(
  "record_events",
  `with input as (
    select * from unnest($1::int2[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::jsonb[], $8::int8[], $9::text[])
      as t (lane, user_key, project_id, external_id, id, name, props, ts, event_id)
  ),
  ${appendEventsCtes("input")},
  fresh as (select i.* from input i join fresh_events f on f.id = i.id),
  ${upsertSeenUsersCte("fresh")},
  ${countActiveCtes("fresh", "$10::int")},
  ${convertDeliveriesCtes("fresh_events")}
  select id from fresh_events`,
);
