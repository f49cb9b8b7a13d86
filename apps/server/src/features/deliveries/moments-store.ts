import { rowsStatement } from "../../platform/db/rows-statement.ts";
import type { UserRef } from "../../platform/ids.ts";
import { deliveryFacts, noteFactsCte } from "../rollups/public.ts";
import { countActiveCtes } from "../usage/public.ts";
import { tallyCte } from "./store.ts";

/** What can become of a delivery that leaves the house. The first three are states without an instant of their own. */
export type Moment =
  | "retryable"
  | "failed"
  | "frequency_capped"
  | "sent"
  | "delivered"
  | "opened"
  | "clicked"
  | "bounced"
  | "complained"
  | "unsubscribed";

/** Something that became of a delivery. `at` is epoch milliseconds. */
export type DeliveryMoment = UserRef & {
  campaignId: string;
  projectId: string;
  moment: Moment;
  at: number;
  /** The month in which this makes its user active, or null where it does not. */
  period: number | null;
};

const INSTANTS = ["sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed"] as const;
const newInstants = INSTANTS.map(
  (name) => `min(i.at) filter (where i.moment = '${name}') as new_${name}`,
).join(", ");
const isNew = (name: string): string => `h.new_${name} is not null and h.${name}_at is null`;

/** A delivery of a channel that is sent. */
export type LeavingDelivery = UserRef & { campaignId: string; projectId: string };

/** Locks deliveries until the transaction ends, in the order in which everybody does. */
export const lockDeliveries = rowsStatement<LeavingDelivery, Record<never, never>>(
  "lock_deliveries",
  { lane: "int2", userKey: "uuid", campaignId: "uuid", projectId: "uuid" },
  `
  select from input i
  join deliveries d
    on d.lane = i.lane and d.user_key = i.user_key and d.campaign_id = i.campaign_id and d.project_id = i.project_id
  order by d.lane, d.user_key, d.campaign_id for no key update of d`,
);

/** Says of deliveries that they are on their way: nothing is counted yet. */
export const markSending = rowsStatement<LeavingDelivery, Record<never, never>>(
  "mark_sending",
  { lane: "int2", userKey: "uuid", campaignId: "uuid", projectId: "uuid" },
  `,
  held as (
    select d.lane, d.user_key, d.campaign_id from input i
    join deliveries d
      on d.lane = i.lane and d.user_key = i.user_key and d.campaign_id = i.campaign_id and d.project_id = i.project_id
    where d.state in ('queued', 'retryable')
    order by d.lane, d.user_key, d.campaign_id for no key update of d
  )
  update deliveries d set state = 'sending' from held h
  where d.lane = h.lane and d.user_key = h.user_key and d.campaign_id = h.campaign_id`,
);

/**
 * Records what became of deliveries, each moment once: its instant stays as it was first told, the counters follow what is new.
 * A state is the latest resolution; what is told late never takes one back. Being opened or clicked proves that a message was
 * delivered, and delivered that it was sent. Delivery is the exposure: a goal event at or after it, which may have come before
 * it was told, converts. Answers the deliveries there are, and whether anything was new.
 */
export const recordMoments = rowsStatement<
  DeliveryMoment,
  { user_key: string; campaign_id: string; is_new: boolean }
>(
  "record_moments",
  {
    lane: "int2",
    userKey: "uuid",
    campaignId: "uuid",
    projectId: "uuid",
    moment: "text",
    at: "int8",
    period: "int4",
  },
  `,
  told as (
    select i.lane, i.user_key, i.campaign_id, i.project_id, max(i.period) as period, ${newInstants},
      max(i.moment) filter (where i.moment in ('retryable', 'failed', 'frequency_capped')) as step
    from input i group by 1, 2, 3, 4
  ),
  proven as (
    select lane, user_key, campaign_id, project_id, period, step,
      coalesce(new_sent, new_delivered, new_opened, new_clicked) as new_sent,
      coalesce(new_delivered, least(new_opened, new_clicked)) as new_delivered,
      new_opened, new_clicked, new_bounced, new_complained, new_unsubscribed
    from told
  ),
  held as (
    select p.*, d.state, d.sent_at, d.delivered_at, d.opened_at, d.clicked_at, d.bounced_at, d.complained_at,
      d.unsubscribed_at, d.converted_at, d.exposed_at, d.goal_event_at
    from proven p
    join deliveries d
      on d.lane = p.lane and d.user_key = p.user_key and d.campaign_id = p.campaign_id and d.project_id = p.project_id
    order by d.lane, d.user_key, d.campaign_id for no key update of d
  ),
  decided as (
    select h.*,
      h.exposed_at is null and h.converted_at is null and h.goal_event_at >= h.new_delivered as converts,
      case
        when ${isNew("unsubscribed")} then 'unsubscribed'::delivery_state
        when ${isNew("complained")} then 'complained'
        when ${isNew("bounced")} then 'bounced'
        when ${isNew("clicked")} then 'clicked'
        when h.state in ('queued', 'sending', 'retryable') and h.step is not null and h.new_sent is null
          then h.step::delivery_state
        else greatest(
          h.state,
          case when ${isNew("opened")} then 'opened'::delivery_state end,
          case when ${isNew("delivered")} then 'delivered'::delivery_state end,
          case when ${isNew("sent")} then 'sent'::delivery_state end
        )
      end as next_state
    from held h
  ),
  told_anew as (
    select h.*, (h.next_state <> h.state or h.converts is true or ${INSTANTS.map((name) => `(${isNew(name)})`).join(" or ")}) as is_new
    from decided h
  ),
  moved as (
    update deliveries d
    set ${INSTANTS.map((name) => `${name}_at = coalesce(d.${name}_at, h.new_${name})`).join(", ")},
      exposed_at = coalesce(d.exposed_at, h.new_delivered),
      converted_at = case when h.converts then h.goal_event_at else d.converted_at end,
      state = case when h.converts then 'converted' else h.next_state end
    from told_anew h
    where d.lane = h.lane and d.user_key = h.user_key and d.campaign_id = h.campaign_id and h.is_new
    returning d.lane, d.user_key, d.project_id, d.campaign_id, d.variant_id, h.period, h.new_clicked as clicked_at, d.converted_at,
      ${INSTANTS.map((name) => `(${isNew(name)})::int as ${name}`).join(", ")},
      (h.next_state = 'frequency_capped' and h.state <> 'frequency_capped')::int as frequency_capped,
      coalesce(h.converts, false)::int as converted
  ),
  -- Of writes that nothing reads from, the last comes first: campaigns before active users, as where events are recorded.
  active as (select lane, user_key, project_id, period from moved where period is not null),
  ${countActiveCtes("active")},
  ${tallyCte("moved", ["frequency_capped", ...INSTANTS, "converted"])},
  happened as (
    select lane, project_id, clicked_at as at, 0 as shown, 1 as clicked, 0 as converted from moved where clicked = 1
    union all
    select lane, project_id, converted_at, 0, 0, 1 from moved where converted = 1
  ),
  ${noteFactsCte(deliveryFacts("happened"))}
  select user_key, campaign_id, is_new from told_anew`,
);
