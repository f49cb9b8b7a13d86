import { rowsStatement } from "../../platform/db/rows-statement.ts";
import type { UserRef } from "../../platform/ids.ts";
import { deliveryFacts, noteFactsCte } from "../rollups/public.ts";
import { tallyCte } from "./store.ts";

/** Instants of a delivery that were taken for a person's, and were not. */
type TakenBack = UserRef & {
  campaignId: string;
  projectId: string;
  opened: boolean;
  clicked: boolean;
};

/**
 * Takes back that deliveries were opened or clicked, and what followed from that alone: a delivery and exposure that only they
 * proved, and a conversion that only this exposure allowed. That the message was sent stays: somebody has it. The counters and
 * the notes for the rollups follow. A delivery is given at most once.
 */
export const takeBackMoments = rowsStatement<TakenBack, { user_key: string; campaign_id: string }>(
  "take_back_moments",
  {
    lane: "int2",
    userKey: "uuid",
    campaignId: "uuid",
    projectId: "uuid",
    opened: "bool",
    clicked: "bool",
  },
  `,
  held as (
    select d.*, i.opened, i.clicked
    from input i
    join deliveries d
      on d.lane = i.lane and d.user_key = i.user_key and d.campaign_id = i.campaign_id and d.project_id = i.project_id
    where (i.opened and d.opened_at is not null) or (i.clicked and d.clicked_at is not null)
    order by d.lane, d.user_key, d.campaign_id for no key update of d
  ),
  kept as (
    select h.*, case when not opened then opened_at end as next_opened, case when not clicked then clicked_at end as next_clicked,
      least(case when opened then opened_at end, case when clicked then clicked_at end) as taken_at,
      -- Events after a conversion are not kept in the delivery.
      greatest(h.goal_event_at, (
        select e.last_at from campaigns c
        join goals g on g.id = c.goal_id
        join event_counts e on e.lane = h.lane and e.user_key = h.user_key and e.name = g.target_event
        where c.id = h.campaign_id and h.converted_at is not null
      )) as next_goal_event
    from held h
  ),
  proven as (
    select *, case when delivered_at = taken_at then least(next_opened, next_clicked) else delivered_at end as next_delivered
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
            select told from (
              values ('unsubscribed'::delivery_state, unsubscribed_at), ('complained', complained_at), ('bounced', bounced_at),
                ('converted', next_converted)
            ) resolved (told, at)
            where at is not null order by at desc, told desc limit 1
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
  moved as (
    update deliveries d
    set opened_at = t.next_opened, clicked_at = t.next_clicked, delivered_at = t.next_delivered, exposed_at = t.next_exposed,
      converted_at = t.next_converted, goal_event_at = t.next_goal_event, state = t.next_state
    from decided t
    where d.lane = t.lane and d.user_key = t.user_key and d.campaign_id = t.campaign_id
    returning d.lane, d.user_key, d.project_id, d.campaign_id, d.variant_id,
      t.clicked_at as was_clicked_at, t.converted_at as was_converted_at, d.converted_at,
      (d.delivered_at is not null)::int - (t.delivered_at is not null)::int as delivered,
      (d.opened_at is not null)::int - (t.opened_at is not null)::int as opened,
      (d.clicked_at is not null)::int - (t.clicked_at is not null)::int as clicked,
      (d.converted_at is not null)::int - (t.converted_at is not null)::int as converted
  ),
  ${tallyCte("moved", ["delivered", "opened", "clicked", "converted"])},
  happened as (
    select lane, project_id, was_clicked_at as at, 0 as shown, -1 as clicked, 0 as converted from moved where clicked < 0
    union all
    select lane, project_id, was_converted_at, 0, 0, -1 from moved where converted_at is distinct from was_converted_at
    union all
    select lane, project_id, converted_at, 0, 0, 1 from moved
    where converted_at is distinct from was_converted_at and converted_at is not null
  ),
  ${noteFactsCte(deliveryFacts("happened"))}
  select user_key, campaign_id from moved`,
);
