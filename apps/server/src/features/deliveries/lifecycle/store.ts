import type { DeliveryRef } from "../../../domain/ids.ts";
import { type Fragment, type Relation, relation } from "../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { deliveryFacts, deltasCte } from "../../counting/rollups/public.ts";
import { countActiveCtes } from "../../counting/usage/public.ts";
import { ANY_VISITORS, laneSql, noneJoinedSql } from "../../users/identities/public.ts";
import { type DeliveryChange, deliveryMessagesCte } from "../../webhooks/public.ts";
import { tallyCte } from "../counters-store.ts";
import {
  DELIVERY_COLUMNS,
  type DeliveryColumn,
  type DeliveryRow,
  deliveryKey,
  deliveryRow,
  lockedInOrder,
  onDelivery,
  sameCampaign,
  sameDelivery,
  withheldKey,
} from "../key-store.ts";
import {
  ATTEMPT_EVENTS,
  type AttemptEvent,
  type DeliveryEvent,
  type EventVocabulary,
  INSTANT_EVENTS,
  type InstantEvent,
  NOT_LEFT,
  OF_SENDING,
  RULES,
} from "./rules.ts";

/** The columns of a decision about a delivery, for rows of `rowsStatement`. */
export const DECISION_COLUMNS = { variantId: "uuid", epoch: "int4", heldOut: "bool" } as const;

/** The columns of a decision to make a delivery, or to withhold it: `held_out`, in the campaign's `epoch`. */
type DecisionColumn = DeliveryColumn | "variant_id" | "epoch" | "held_out";

/**
 * CTEs that queue a delivery for each row of `source`, at the instant in its column `decidedAt` (epoch ms), and record the row as a
 * withheld delivery instead where its user is held out. A delivery that exists stays as it is, one that was withheld stays withheld,
 * and neither is among `newDeliveries` and `withheld`. The campaigns have to be locked (`ofRunningCampaignsCte`).
 */
export function newDeliveriesCte<At extends string>(
  source: Relation<DecisionColumn | At>,
  decidedAt: At,
): Fragment<{
  newDeliveries: Relation<DeliveryColumn | "queued_at">;
  withheld: Relation<"lane" | "user_key" | "campaign_id">;
}> {
  const newDeliveries = relation<DeliveryColumn | "queued_at">("new_deliveries");
  const withheld = relation<"lane" | "user_key" | "campaign_id">("withheld");
  const ctes = sqlText(`
  ${withheld} as (
    insert into ${t.withheldDeliveries} (${withheldKey()}, project_id, epoch, withheld_at)
    select ${withheldKey()}, project_id, epoch, ${decidedAt} from ${source} s
    where held_out and not exists (select from ${t.deliveries} d where ${sameCampaign("d", "s")})
    order by ${withheldKey()}
    on conflict do nothing
    returning ${withheldKey()}
  ),
  ${newDeliveries} as (
    insert into ${t.deliveries} (${deliveryKey()}, project_id, variant_id, epoch, state, queued_at)
    select ${deliveryKey()}, project_id, variant_id, epoch, 'queued', ${decidedAt} from ${source} s
    where not held_out and not exists (select from ${t.withheldDeliveries} w where ${sameCampaign("w", "s")})
    order by ${deliveryKey()}
    on conflict do nothing
    returning ${deliveryKey()}, project_id, queued_at
  )`);
  return { ctes, newDeliveries, withheld };
}

/** Locks deliveries until the transaction ends. */
export const lockDeliveries = rowsStatement<DeliveryRef, Record<never, never>>(
  { name: "lock_deliveries", reach: "key" },
  DELIVERY_COLUMNS,
  ` select from input i join ${t.deliveries} d on ${onDelivery("d", "i")} ${lockedInOrder("d")}`,
);

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** Sets the state of deliveries to `sending`. No counter changes. */
export const markSending = rowsStatement<DeliveryRef, Record<never, never>>(
  { name: "mark_sending", reach: "key" },
  DELIVERY_COLUMNS,
  `,
  locked as (
    select ${deliveryKey("d")} from input i join ${t.deliveries} d on ${onDelivery("d", "i")}
    where d.state in (${quoted(NOT_LEFT.filter((state) => state !== "sending"))}) ${lockedInOrder("d")}
  )
  update ${t.deliveries} d set state = 'sending' from locked l where ${sameDelivery("d", "l")}`,
);

const isNew = (event: InstantEvent): string => `l.new_${event} is not null and l.${event}_at is null`;
const stateIf = (event: InstantEvent): string =>
  `case when ${isNew(event)} then '${event}'::delivery_state end`;

/** SQL of the next state of a delivery, as `applyReported` of rules.ts computes it. */
function nextStateSql({ instants, attempts }: EventVocabulary): string {
  const resolutions = instants.filter((event) => RULES[event].effect === "resolution");
  const progress = instants.filter((event) => RULES[event].effect === "progress");
  return `case
        ${resolutions
          .toReversed()
          .map((event) => `when ${isNew(event)} then '${event}'::delivery_state`)
          .join("\n        ")}
        ${
          attempts.length === 0
            ? ""
            : `when l.attempt is not null and l.state in (${quoted(NOT_LEFT)}) and l.new_sent is null then l.attempt::delivery_state`
        }
        else greatest(l.state, ${progress.map(stateIf).join(", ")})
      end`;
}

/**
 * Locked deliveries, one row each, with the events that were reported of them: `new_…` is the reported or proven instant. Where
 * `delivered` can be reported, `new_delivered_reported` is its reported instant alone.
 */
export type LockedDeliveries<Instant extends InstantEvent, Attempt extends AttemptEvent> = Relation<
  | DeliveryColumn
  | ("state" | "exposed_at" | "goal_event_at" | "converted_at")
  | (`${Instant}_at` | `new_${Instant}`)
  | ("delivered" extends Instant ? "delivered_reported_at" | "new_delivered_reported" : never)
  | ([Attempt] extends [never] ? never : "attempt" | "attempt_at")
>;

/** Counters that events raise. */
type Raised<Instant extends InstantEvent> = Instant | "converted" | "frequency_capped";

/** What webhooks are to know of the events in a row `m` of `moved`. */
function announcedChanges({ instants, attempts }: EventVocabulary): DeliveryChange[] {
  const changes = instants
    .filter((event) => event !== "converted")
    .map((event): DeliveryChange => {
      return { type: `delivery.${event}`, happened: `m.${event} = 1`, at: `m.new_${event}` };
    });
  const converted = { happened: "m.converted = 1", at: "m.converted_at" };
  changes.push({ type: "delivery.converted", ...converted });
  if (attempts.includes("failed"))
    changes.push({ type: "delivery.failed", happened: "m.failed = 1", at: "m.attempt_at" });
  if (attempts.includes("withdrawn"))
    changes.push({ type: "delivery.withdrawn", happened: "m.withdrawn = 1", at: "m.attempt_at" });
  if (attempts.includes("frequency_capped"))
    changes.push({ type: "delivery.capped", happened: "m.frequency_capped = 1", at: "m.attempt_at" });
  return changes;
}

/** The CTEs of applied events that a statement may read. */
type AppliedEvents<Instant extends InstantEvent> = {
  /** The locked deliveries; `is_new`: whether any event was new. */
  judged: Relation<DeliveryColumn | "is_new">;
  /** What changed: a column of 0 or 1 for each of `counters`. */
  moved: Relation<DeliveryColumn | "variant_id" | Raised<Instant>>;
  counters: readonly Raised<Instant>[];
  /** For `deliveryFacts`. */
  happened: Relation<"lane" | "project_id" | "at" | "shown" | "clicked" | "converted">;
  /** CTE that writes what webhooks are to know. */
  messages: Fragment;
};

/** CTEs that apply reported events to deliveries, generated from the rules. */
export function lifecycleCtes<Instant extends InstantEvent, Attempt extends AttemptEvent>(
  vocabulary: EventVocabulary<Instant, Attempt>,
  locked: LockedDeliveries<Instant, Attempt>,
): Fragment<AppliedEvents<Instant>> {
  const { instants, attempts }: EventVocabulary = vocabulary;
  const moved: AppliedEvents<Instant>["moved"] = relation("moved");
  const applied: AppliedEvents<Instant> = {
    judged: relation("judged"),
    moved,
    messages: deliveryMessagesCte(moved, announcedChanges(vocabulary)),
    happened: relation("happened"),
    counters: [
      ...new Set([
        ...(attempts.includes("frequency_capped") ? (["frequency_capped"] as const) : []),
        ...vocabulary.instants,
        "converted" as const,
      ]),
    ],
  };
  const { judged, happened } = applied;
  const exposures = instants.filter((event) => RULES[event].exposes).map((event) => `l.new_${event}`);
  const counted = (["shown", "clicked"] as const).filter((event) => instants.includes(event));
  const setInstants = instants
    .filter((event) => event !== "converted")
    .map((event) => `${event}_at = coalesce(d.${event}_at, l.new_${event})`);
  const reportedConversion = instants.includes("converted")
    ? "coalesce(d.converted_at, l.new_converted)"
    : "d.converted_at";
  const isConverted = instants.includes("converted")
    ? `(l.converts is true or ${isNew("converted")})`
    : "coalesce(l.converts, false)";
  const news = instants.map((event) => `(${isNew(event)})`);
  if (instants.includes("delivered")) {
    setInstants.push("delivered_reported_at = coalesce(d.delivered_reported_at, l.new_delivered_reported)");
    news.push("(l.new_delivered_reported is not null and l.delivered_reported_at is null)");
  }
  const flags = [
    ...instants.filter((event) => event !== "converted").map((event) => `(${isNew(event)})::int as ${event}`),
    `${isConverted}::int as converted`,
    ...(attempts.includes("frequency_capped")
      ? ["(l.next_state = 'frequency_capped' and l.state <> 'frequency_capped')::int as frequency_capped"]
      : []),
    ...(attempts.includes("withdrawn")
      ? ["(l.next_state = 'withdrawn' and l.state <> 'withdrawn')::int as withdrawn"]
      : []),
    ...(attempts.includes("failed")
      ? ["(l.next_state = 'failed' and l.state <> 'failed')::int as failed"]
      : []),
  ];
  const instantsOf = instants.filter((event) => event !== "converted").map((event) => `l.new_${event}`);
  const ctes = sqlText(`
  decided as (
    select l.*,
      l.exposed_at is null and l.converted_at is null and l.goal_event_at >= least(${exposures.join(", ")}) as converts,
      ${nextStateSql(vocabulary)} as next_state
    from ${locked} l
  ),
  ${judged} as (
    select l.*, (l.next_state <> l.state or l.converts is true or ${news.join(" or ")}) as is_new
    from decided l
  ),
  ${moved} as (
    update ${t.deliveries} d
    set ${setInstants.join(", ")}, exposed_at = coalesce(d.exposed_at, least(${exposures.join(", ")})),
      converted_at = case when l.converts then l.goal_event_at else ${reportedConversion} end,
      state = case when l.converts then 'converted' else l.next_state end
    from ${judged} l where ${sameDelivery("d", "l")} and l.is_new
    returning ${deliveryKey("d")}, d.project_id, d.variant_id, d.converted_at,
      ${[...instantsOf, ...(attempts.length > 0 ? ["l.attempt_at"] : [])].join(", ")}, ${flags.join(", ")}
  ),
  ${happened} as (
    ${counted
      .map(
        (
          event,
        ) => `select lane, project_id, new_${event} as at, ${event === "shown" ? 1 : 0} as shown, ${event === "clicked" ? 1 : 0} as clicked, 0 as converted
    from ${moved} where ${event} = 1
    union all`,
      )
      .join("\n    ")}
    select lane, project_id, converted_at, 0, 0, 1 from ${moved} where converted = 1
  )`);
  return { ctes, ...applied };
}

/** An event that was reported of a delivery that is sent. `at` is epoch milliseconds. */
export type DeliveryReport = DeliveryRef & {
  event: DeliveryEvent;
  at: number;
  /** The month in which this makes its user active, or null where it does not. */
  period: number | null;
};

const reportedInstant = (event: InstantEvent): string => `min(i.at) filter (where i.event = '${event}')`;

/** SQL of the first instant of an event: as it was reported, else that of a reported event that proves it. */
function provenInstant(event: InstantEvent, { instants }: EventVocabulary): string {
  const proofs = instants.filter((each) => RULES[each].proves?.includes(event));
  const proven = proofs.length === 0 ? [] : [`least(${proofs.map(reportedInstant).join(", ")})`];
  return `coalesce(${[reportedInstant(event), ...proven].join(", ")}) as new_${event}`;
}

const newestAttempt = ATTEMPT_EVENTS.toReversed()
  .map((event) => `when bool_or(i.event = '${event}') then '${event}'`)
  .join(" ");

/** The columns of a delivery that the rules read. */
const LIFECYCLE_COLUMNS = [
  "state",
  "exposed_at",
  "goal_event_at",
  "delivered_reported_at",
  ...INSTANT_EVENTS.map((event) => `${event}_at`),
];

type OfSending = (typeof OF_SENDING.instants)[number];
const LOCKED: LockedDeliveries<OfSending, AttemptEvent> & Relation<"period"> = relation("locked");
const ACTIVE = relation<"lane" | "user_key" | "project_id" | "period">("active");
const applied = lifecycleCtes(OF_SENDING, LOCKED);

/**
 * Records events of deliveries that are sent: `applyReported` of rules.ts as SQL. Each event counts once, with the instant that was reported
 * first; counters, deltas and active users follow. Answers the deliveries that exist, and whether any event was new.
 */
export const recordDeliveryEvents = rowsStatement<DeliveryReport, DeliveryRow & { is_new: boolean }>(
  { name: "record_delivery_events", reach: "key" },
  { ...DELIVERY_COLUMNS, event: "text", at: "int8", period: "int4" },
  `,
  reported as (
    select ${deliveryKey("i")}, i.project_id, max(i.period) as period, case ${newestAttempt} end as attempt,
      ${OF_SENDING.instants.map((event) => provenInstant(event, OF_SENDING)).join(", ")},
      ${reportedInstant("delivered")} as new_delivered_reported,
      min(i.at) filter (where i.event in (${quoted(ATTEMPT_EVENTS)})) as attempt_at
    from input i group by ${deliveryKey("i")}, i.project_id
  ),
  ${LOCKED} as (
    select r.*, ${LIFECYCLE_COLUMNS.map((column) => `d.${column}`).join(", ")}
    from reported r join ${t.deliveries} d on ${onDelivery("d", "r")} ${lockedInOrder("d")}
  ),
  ${applied.ctes},
  -- PostgreSQL runs writes that nothing reads from last to first: campaigns before active users, as where events are recorded.
  ${ACTIVE} as (
    select lane, user_key, project_id, period from ${applied.judged} where is_new and period is not null
  ),
  ${countActiveCtes(ACTIVE).ctes},
  ${tallyCte(applied.moved, applied.counters).ctes},
  ${applied.messages.ctes},
  ${deltasCte(deliveryFacts(applied.happened)).ctes}
  select ${deliveryRow()}, is_new from ${applied.judged}`,
);

/** SQL of the instant from which on an event converts a delivery: exposure, or for push the tap or action. Null before that. */
const CONVERTS_FROM =
  "case when g.from_click then greatest(d.clicked_at, d.exposed_at) else d.exposed_at end";

/** The deliveries that goal events changed: `converted` is 1 where one converted, at `at`, by an event; for `deliveryFacts`. */
type Conversions = {
  goalUpdated: Relation<DeliveryColumn | "variant_id" | "at" | "event_id" | "converted">;
  goalConversions: Relation<"lane" | "project_id" | "at" | "shown" | "clicked" | "converted">;
  /** CTE that writes what webhooks are to know. */
  messages: Fragment;
  /** SQL for the `where` of a select that runs once the users are locked: true, or the statement fails and is run again. */
  noneJoined: SqlText;
};

const BY_GOAL_EVENT: DeliveryChange = { type: "delivery.converted", happened: "m.converted = 1", at: "m.at" };

/**
 * CTEs that convert the deliveries of users whose events in `source` are a goal's target event: `afterGoalEvents` of rules.ts as
 * SQL. The update locks the delivery's row, sees its newest version, and records the event's time there before exposure too. So an
 * exposure that is recorded at the same time finds it, whichever commits first. For push, an event converts only where a tap or an
 * action was committed before.
 */
export function convertDeliveriesCtes(
  source: Relation<"lane" | "user_key" | "project_id" | "event_id" | "name" | "ts">,
): Fragment<Conversions> {
  const updated: Conversions["goalUpdated"] = relation("goal_updated");
  const doers = relation<"lane" | "user_key" | "joined">("doers");
  const conversions: Conversions = {
    goalUpdated: updated,
    goalConversions: relation("goal_conversions"),
    messages: deliveryMessagesCte(updated, [BY_GOAL_EVENT]),
    noneJoined: noneJoinedSql(doers),
  };
  const { goalUpdated, goalConversions } = conversions;
  const ctes = sqlText(`
  counted_by_goals as materialized (
    select e.lane, e.user_key, e.project_id, c.id as campaign_id, c.channel = 'push' as from_click, e.ts, e.event_id
    from ${source} e
    join ${t.goals} g on g.project_id = e.project_id and g.target_event = e.name
    join ${t.campaigns} c on c.goal_id = g.id and c.project_id = e.project_id
  ),
  ${doers} as materialized (
    select e.lane, e.user_key, u.joined, u.left_by
    from (select distinct lane, user_key from counted_by_goals) e
    left join ${t.users} u on u.lane = e.lane and u.user_key = e.user_key
    where ${ANY_VISITORS}
  ),
  goal_events as (
    select lane, user_key, project_id, campaign_id, from_click, max(ts) as last_at,
      array_agg(ts order by ts, event_id) as instants, array_agg(event_id order by ts, event_id) as event_ids
    from (
      select * from counted_by_goals
      -- What visitors got before they became the user converts by what the user does as well.
      union all
      select ${laneSql("visitor_key")}, visitor_key, e.project_id, e.campaign_id, e.from_click, e.ts, e.event_id
      from counted_by_goals e join ${doers} u using (lane, user_key), unnest(u.left_by) visitor_key
    ) e
    group by 1, 2, 3, 4, 5
    order by 1, 2, 4
  ),
  ${goalUpdated} as (
    update ${t.deliveries} d
    set goal_event_at = greatest(d.goal_event_at, g.last_at),
      converted_at = (select min(at) from unnest(g.instants) at where at >= ${CONVERTS_FROM}),
      state = case
        when exists (select from unnest(g.instants) at where at >= ${CONVERTS_FROM}) then 'converted' else d.state
      end
    from goal_events g
    where ${sameCampaign("d", "g")} and d.project_id = g.project_id and d.converted_at is null
      and (not g.from_click or d.clicked_at is not null)
    returning ${deliveryKey("d")}, d.variant_id, d.project_id, d.converted_at as at,
      g.event_ids[array_position(g.instants, d.converted_at)] as event_id, (d.converted_at is not null)::int as converted
  ),
  ${goalConversions} as (
    select lane, project_id, at, 0 as shown, 0 as clicked, converted from ${goalUpdated} where at is not null
  ),
  ${tallyCte(goalUpdated, ["converted"]).ctes}`);
  return { ctes, ...conversions };
}
