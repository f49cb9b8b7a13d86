import type { Fragment, Relation } from "../../../platform/db/statements/fragment.ts";
import { sqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { type DeliveryColumn, deliveryKey, sameDelivery } from "../../deliveries/public.ts";

/**
 * CTE that records which event converted a push, for deliveries that `convertDeliveriesCtes` converted. A delivery has at most one
 * engagement, and its conversion has the same key. Conversions are numbered in one order with observations.
 */
export const convertPushesCte = (
  goalUpdated: Relation<DeliveryColumn | "event_id" | "at" | "converted">,
): Fragment => ({
  ctes: sqlText(`
  push_converted as (
    insert into ${t.pushConversions}
      (${deliveryKey()}, project_id, id, engagement_id, event_id, converted_at, converted_order)
    select ${deliveryKey("t")}, t.project_id, e.id, e.id, t.event_id, t.at,
      nextval('push_observations_received_order_seq')
    from ${goalUpdated} t
    join ${t.pushEngagements} e on ${sameDelivery("e", "t")}
    where t.converted = 1
    on conflict do nothing
  )`),
});
