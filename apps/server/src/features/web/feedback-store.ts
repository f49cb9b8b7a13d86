import type { DeliveryRef } from "../../domain/ids.ts";
import { relation } from "../../platform/db/statements/fragment.ts";
import { rowsStatement } from "../../platform/db/statements/statement.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { deliveryFacts, deltasCte } from "../counting/rollups/public.ts";
import { countActiveCtes } from "../counting/usage/public.ts";
import { OF_WEB } from "../deliveries/lifecycle/rules.ts";
import {
  DELIVERY_COLUMNS,
  deliveryKey,
  type LockedDeliveries,
  lifecycleCtes,
  lockedInOrder,
  onDelivery,
  sameDelivery,
  tallyCte,
} from "../deliveries/public.ts";
import { isVisitorSql } from "../users/identities/public.ts";
import type { FeedbackType } from "./schema.ts";

/** The result of one feedback. */
export type FeedbackOutcome = {
  /** Null when there is no such delivery in the project. */
  external_id: string | null;
  was_shown: boolean | null;
  /** The acknowledgement made now. */
  receipt_id: string | null;
  acknowledged_at: number | null;
  /** The earlier feedback with this id, if there is one. */
  known_campaign: string | null;
  known_occasion: number | null;
  known_type: FeedbackType | null;
  known_receipt: string | null;
  known_at: number | null;
};

/** What a user did with a message. `at` is when the report came, epoch milliseconds; `receiptId` a new UUID. */
export type Feedback = DeliveryRef & {
  type: FeedbackType;
  feedbackId: string;
  receiptId: string;
  at: number;
  period: number;
};

const REPORTED: LockedDeliveries<(typeof OF_WEB.instants)[number], never> = relation("reported");
const SHOWN_USERS = relation<"lane" | "user_key" | "project_id" | "period">("shown_users");
const applied = lifecycleCtes(OF_WEB, REPORTED);

const feedbackStatement = (maxReceipts: number) =>
  rowsStatement<Feedback, FeedbackOutcome>(
    { name: `apply_feedback_${maxReceipts}`, reach: "key" },
    {
      ...DELIVERY_COLUMNS,
      type: "text",
      feedbackId: "text",
      receiptId: "uuid",
      at: "int8",
      period: "int4",
    },
    `,
  -- Lock deliveries first, and in order. For a user who is being erased, this waits until the delivery is gone.
  locked as (
    select ${deliveryKey("d")}, d.project_id, d.state, d.exposed_at, d.goal_event_at,
      ${OF_WEB.instants.map((event) => `d.${event}_at`).join(", ")}
    from input i
    join ${t.deliveries} d on ${onDelivery("d", "i")}
    join ${t.campaigns} c on c.id = d.campaign_id and c.channel = 'web_inapp'
    ${lockedInOrder("d")}
  ),
  found as (
    select i.*, coalesce(u.external_id, '') as external_id,
      u.user_key is not null and not ${isVisitorSql("u")} as is_user, d.shown_at is not null as was_shown,
      coalesce(r.campaign_id, p.campaign_id) as known_campaign, coalesce(r.occasion, p.occasion) as known_occasion,
      coalesce(r.type, p.type) as known_type,
      coalesce(r.receipt_id, p.receipt_id) as known_receipt, coalesce(r.acknowledged_at, p.acknowledged_at) as known_at
    from input i
    join locked d on ${sameDelivery("d", "i")}
    left join ${t.users} u on u.lane = i.lane and u.user_key = i.user_key
    left join ${t.feedbackReceipts} r
      on r.lane = i.lane and r.user_key = i.user_key and r.feedback_id = i.feedback_id
    -- A delivery may have the greatest number of receipts already. A new feedback is then answered by an earlier one of its type.
    left join lateral (
      select m.campaign_id, m.occasion, m.type, m.receipt_id, m.acknowledged_at
      from ${t.feedbackReceipts} m
      where r.feedback_id is null and case i.type
          when 'shown' then d.shown_at
          when 'clicked' then d.clicked_at
          when 'dismissed' then d.dismissed_at
          else d.converted_at
        end is not null
        and ${sameDelivery("m", "i")} and m.type = i.type
        and (
          select count(*) from (
            select from ${t.feedbackReceipts} c
            where ${sameDelivery("c", "i")} limit ${maxReceipts}
          ) kept
        ) >= ${maxReceipts}
      limit 1
    ) p on true
  ),
  acknowledged as (
    insert into ${t.feedbackReceipts} (${deliveryKey()}, feedback_id, type, receipt_id, acknowledged_at)
    select ${deliveryKey()}, feedback_id, type, receipt_id, at from found
    where known_receipt is null and (type = 'shown' or was_shown)
    order by lane, user_key, feedback_id
    on conflict do nothing
    returning ${deliveryKey()}, type, receipt_id, acknowledged_at as at
  ),
  ${REPORTED} as (
    select d.*, ${OF_WEB.instants.map((event) => `case when a.type = '${event}' then a.at end as new_${event}`).join(", ")}
    from acknowledged a join locked d on ${sameDelivery("d", "a")}
  ),
  ${applied.ctes},
  -- Every impression counts, not only the first of a delivery: the same message may be shown again in a later period.
  ${SHOWN_USERS} as (
    select i.lane, i.user_key, i.project_id, i.period
    from acknowledged a join found i on i.receipt_id = a.receipt_id
    where a.type = 'shown' and i.is_user
  ),
  ${countActiveCtes(SHOWN_USERS).ctes},
  -- PostgreSQL runs writes that nothing reads from last to first: campaigns before active users, as where events are recorded.
  ${tallyCte(applied.moved, applied.counters).ctes},
  ${applied.messages.ctes},
  ${deltasCte(deliveryFacts(applied.happened)).ctes}
  select f.external_id, f.was_shown, a.receipt_id, a.at as acknowledged_at,
    f.known_campaign, f.known_occasion, f.known_type, f.known_receipt, f.known_at
  from input i
  left join found f on f.ord = i.ord
  left join acknowledged a on a.receipt_id = i.receipt_id
  order by i.ord`,
  );

const statements = new Map<number, ReturnType<typeof feedbackStatement>>();

/**
 * Acknowledges feedback and applies it, for many deliveries (each at most once per statement). Only a feedback whose receipt is
 * inserted by this statement changes its delivery.
 * @param maxReceipts how many receipts are kept of a delivery
 */
export function applyFeedback(maxReceipts: number): ReturnType<typeof feedbackStatement> {
  const made = statements.get(maxReceipts) ?? feedbackStatement(maxReceipts);
  statements.set(maxReceipts, made);
  return made;
}
