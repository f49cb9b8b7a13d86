import type { Fragment, Relation } from "../../../platform/db/batch/fragment.ts";
import { t } from "../../../platform/db/batch/table-names.ts";

/**
 * CTE that records which event converted a push, for deliveries that `convertDeliveriesCtes` converted. A user has at most one
 * engagement with a campaign, and its conversion has the same key. Conversions are numbered in one order with observations.
 */
export const convertPushesCte = (
  goalUpdated: Relation<"lane" | "user_key" | "campaign_id" | "project_id" | "event_id" | "at" | "converted">,
): Fragment => ({
  ctes: `
  push_converted as (
    insert into ${t.pushConversions}
      (lane, user_key, campaign_id, project_id, id, engagement_id, event_id, converted_at, converted_order)
    select t.lane, t.user_key, t.campaign_id, t.project_id, e.id, e.id, t.event_id, t.at,
      nextval('push_observations_received_order_seq')
    from ${goalUpdated} t
    join ${t.pushEngagements} e on e.lane = t.lane and e.user_key = t.user_key and e.campaign_id = t.campaign_id
    where t.converted = 1
    on conflict do nothing
  )`,
});
