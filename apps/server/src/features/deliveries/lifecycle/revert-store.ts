import type { DeliveryRef } from "../../../domain/ids.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deliveryFacts, deltasCte } from "../../counting/rollups/public.ts";
import { tallyCte } from "../counters-store.ts";
import {
  DELIVERY_COLUMNS,
  type DeliveryColumn,
  type DeliveryRow,
  deliveryKey,
  deliveryRow,
  lockedInOrder,
  onDelivery,
  sameDelivery,
} from "../key-store.ts";
import { type BotHits, LASTING } from "./rules.ts";

const lastingStates = LASTING.toReversed()
  .map((event) => `('${event}'::delivery_state, ${event === "converted" ? "next_converted" : `${event}_at`})`)
  .join(", ");

const LOWERED = ["delivered", "opened", "clicked", "converted"] as const;
const MOVED = relation<DeliveryColumn | "variant_id" | (typeof LOWERED)[number]>("moved");
const HAPPENED = relation<"lane" | "project_id" | "at" | "shown" | "clicked" | "converted">("happened");

/**
 * Reverts opens and clicks that were a bot's: `revert` of rules.ts as SQL. Counters and deltas follow. A delivery may be given at
 * most once.
 */
export const revertHits = rowsStatement<DeliveryRef & BotHits, DeliveryRow>(
  { name: "revert_hits", reach: "key" },
  { ...DELIVERY_COLUMNS, opened: "bool", clicked: "bool" },
  `,
  locked as (
    select d.*, i.opened, i.clicked from input i join ${t.deliveries} d on ${onDelivery("d", "i")}
    where (i.opened and d.opened_at is not null) or (i.clicked and d.clicked_at is not null) ${lockedInOrder("d")}
  ),
  kept as (
    select l.*, case when not opened then opened_at end as next_opened, case when not clicked then clicked_at end as next_clicked,
      least(case when opened then opened_at end, case when clicked then clicked_at end) as reverted_at,
      -- A converted delivery does not keep later goal events, so read the user's last one.
      greatest(l.goal_event_at, (
        select e.last_at from ${t.campaigns} c
        join ${t.goals} g on g.id = c.goal_id
        join ${t.eventCounts} e on e.lane = l.lane and e.user_key = l.user_key and e.name = g.target_event
        where c.id = l.campaign_id and l.converted_at is not null
      )) as next_goal_event
    from locked l
  ),
  proven as (
    select *,
      case
        when delivered_at = reverted_at then least(delivered_reported_at, next_opened, next_clicked) else delivered_at
      end as next_delivered
    from kept
  ),
  exposed as (
    select *, case when exposed_at = delivered_at then next_delivered else exposed_at end as next_exposed from proven
  ),
  converted as (
    select *,
      case
        when converted_at is null then null
        when converted_at >= next_exposed then converted_at
        when next_goal_event >= next_exposed then next_goal_event
      end as next_converted
    from exposed
  ),
  decided as (
    select c.*,
      case
        when state not in ('opened', 'clicked', 'converted') then state
        when state = 'opened' and next_opened is not null then state
        when state = 'clicked' and next_clicked is not null then state
        when state = 'converted' and next_converted is not null then state
        else coalesce(
          (
            select lasting.state from (values ${lastingStates}) lasting (state, at)
            where at is not null order by at desc, lasting.state desc limit 1
          ),
          case
            when next_clicked is not null then 'clicked'::delivery_state
            when next_opened is not null then 'opened'
            when next_delivered is not null then 'delivered'
            else 'sent'
          end
        )
      end as next_state
    from converted c
  ),
  ${MOVED} as (
    update ${t.deliveries} d
    set opened_at = t.next_opened, clicked_at = t.next_clicked, delivered_at = t.next_delivered, exposed_at = t.next_exposed,
      converted_at = t.next_converted, goal_event_at = t.next_goal_event, state = t.next_state
    from decided t where ${sameDelivery("d", "t")}
    returning ${deliveryKey("d")}, d.project_id, d.variant_id,
      t.clicked_at as was_clicked_at, t.converted_at as was_converted_at, d.converted_at,
      (d.delivered_at is not null)::int - (t.delivered_at is not null)::int as delivered,
      (d.opened_at is not null)::int - (t.opened_at is not null)::int as opened,
      (d.clicked_at is not null)::int - (t.clicked_at is not null)::int as clicked,
      (d.converted_at is not null)::int - (t.converted_at is not null)::int as converted
  ),
  ${tallyCte(MOVED, LOWERED).ctes},
  ${HAPPENED} as (
    select lane, project_id, was_clicked_at as at, 0 as shown, -1 as clicked, 0 as converted from ${MOVED} where clicked < 0
    union all
    select lane, project_id, was_converted_at, 0, 0, -1 from ${MOVED} where converted_at is distinct from was_converted_at
    union all
    select lane, project_id, converted_at, 0, 0, 1 from ${MOVED}
    where converted_at is distinct from was_converted_at and converted_at is not null
  ),
  ${deltasCte(deliveryFacts(HAPPENED)).ctes}
  select ${deliveryRow()} from ${MOVED}`,
);
