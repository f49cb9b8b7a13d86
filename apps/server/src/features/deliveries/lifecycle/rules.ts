// What may become of a delivery, as data and as pure functions. `store.ts` does the same in SQL; a test compares both.

/** All states of a delivery, in order: an event with the effect `progress` never changes a delivery to an earlier state. */
export const DELIVERY_STATES = [
  "queued",
  "sending",
  "retryable",
  "frequency_capped",
  "withdrawn",
  "sent",
  "delivered",
  "shown",
  "opened",
  "clicked",
  "dismissed",
  "bounced",
  "complained",
  "unsubscribed",
  "failed",
  "converted",
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** States of a delivery that has not left. */
export const NOT_LEFT: readonly DeliveryState[] = ["queued", "sending", "retryable"];

/** Events whose first instant a delivery keeps. The campaign has a counter for each. */
export const INSTANT_EVENTS = [
  "sent",
  "delivered",
  "shown",
  "opened",
  "dismissed",
  "clicked",
  "bounced",
  "complained",
  "unsubscribed",
  "converted",
] as const;
export type InstantEvent = (typeof INSTANT_EVENTS)[number];

/** Events of an attempt to send that did not succeed; they have a state and no instant. */
export const ATTEMPT_EVENTS = ["failed", "withdrawn", "frequency_capped", "retryable"] as const;
export type AttemptEvent = (typeof ATTEMPT_EVENTS)[number];

/** What can become of a delivery. */
export type DeliveryEvent = InstantEvent | AttemptEvent;

/**
 * How an event with an instant changes the state. `progress`: the event becomes the state, unless the delivery has a later state.
 * `resolution`: the newest one becomes the state; of several that are reported together, the last in `INSTANT_EVENTS`.
 */
type Rule = {
  effect: "progress" | "resolution";
  /** Events that must have happened before. One that was not reported counts as having happened at the same instant. */
  proves?: readonly InstantEvent[];
  /** The event shows that the user was exposed to the message. */
  exposes?: true;
};

export const RULES: Readonly<Record<InstantEvent, Rule>> = {
  sent: { effect: "progress" },
  delivered: { effect: "progress", proves: ["sent"], exposes: true },
  shown: { effect: "progress", exposes: true },
  opened: { effect: "progress", proves: ["sent", "delivered"] },
  dismissed: { effect: "resolution" },
  clicked: { effect: "resolution", proves: ["sent", "delivered"] },
  bounced: { effect: "resolution" },
  complained: { effect: "resolution" },
  unsubscribed: { effect: "resolution" },
  converted: { effect: "resolution" },
};

/** The events that can be reported of the deliveries of some channels. They prove only events of the same vocabulary. */
export type EventVocabulary<
  Instant extends InstantEvent = InstantEvent,
  Attempt extends AttemptEvent = AttemptEvent,
> = { instants: readonly Instant[]; attempts: readonly Attempt[] };

/** The events of web deliveries. */
export const OF_WEB = {
  instants: ["shown", "dismissed", "clicked", "converted"],
  attempts: [],
} as const satisfies EventVocabulary;

/** The events of deliveries that are sent: email and push. */
export const OF_SENDING = {
  instants: ["sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed"],
  attempts: ATTEMPT_EVENTS,
} as const satisfies EventVocabulary;

/** The fields of a delivery that events change. Instants are epoch milliseconds. */
export type Lifecycle = {
  state: DeliveryState;
  /** When each event happened first; without those that did not happen. */
  at: Readonly<Partial<Record<InstantEvent, number>>>;
  /** When the user was first exposed to the message. */
  exposedAt: number | null;
  /** The instant of the user's last goal event that was recorded in the delivery. */
  goalEventAt: number | null;
  /**
   * When it was first reported itself that the message was delivered. Where a hit had proven that before, the report is what stays of it
   * if the hit turns out to be a bot's.
   */
  deliveredReportedAt: number | null;
};

export type ReportedDeliveryEvent = { event: DeliveryEvent; at: number };

/** The earliest of some instants; null for none. */
function earliest(instants: readonly (number | null | undefined)[]): number | null {
  const known = instants.filter((at) => at != null);
  return known.length === 0 ? null : Math.min(...known);
}

const isInstant = (event: DeliveryEvent): event is InstantEvent =>
  (INSTANT_EVENTS as readonly string[]).includes(event);

const furthest = (states: readonly DeliveryState[]): DeliveryState =>
  DELIVERY_STATES.findLast((state) => states.includes(state)) ?? "queued";

/** The first instant of each reported event, and of each that one of them proves. */
function provenInstants(
  { instants }: EventVocabulary,
  reported: readonly ReportedDeliveryEvent[],
): Map<InstantEvent, number> {
  const instantsOf = (isOne: (event: DeliveryEvent) => boolean): number | null =>
    earliest(reported.filter(({ event }) => isOne(event)).map(({ at }) => at));
  const found = new Map<InstantEvent, number>();
  for (const event of instants) {
    const proof = (by: DeliveryEvent): boolean =>
      isInstant(by) && (RULES[by].proves?.includes(event) ?? false);
    const at = instantsOf((each) => each === event) ?? instantsOf(proof);
    if (at !== null) found.set(event, at);
  }
  return found;
}

/**
 * The delivery after some events were reported together. An event that was reported before changes nothing. An attempt counts only
 * while no message has left. An exposure converts the delivery if a goal event at that instant or later is already recorded: such
 * an event may be recorded before the exposure is reported.
 */
export function applyReported(
  delivery: Lifecycle,
  reported: readonly ReportedDeliveryEvent[],
  vocabulary: EventVocabulary,
): Lifecycle {
  const proven = provenInstants(vocabulary, reported);
  const news = vocabulary.instants.filter((event) => proven.has(event) && delivery.at[event] === undefined);
  const attempt = ATTEMPT_EVENTS.findLast((event) => reported.some((each) => each.event === event));
  const resolution = news.findLast((event) => RULES[event].effect === "resolution");
  const counts = attempt !== undefined && NOT_LEFT.includes(delivery.state) && !proven.has("sent");
  const state = resolution ?? (counts ? attempt : furthest([delivery.state, ...news]));
  const at = { ...delivery.at };
  for (const event of news) at[event] = proven.get(event) ?? 0;

  const exposures = vocabulary.instants.filter((event) => RULES[event].exposes);
  const exposedAt = delivery.exposedAt ?? earliest(exposures.map((event) => proven.get(event)));
  const { goalEventAt } = delivery;
  const reportedDelivered = reported.filter(
    ({ event }) => event === "delivered" && vocabulary.instants.includes(event),
  );
  const deliveredReportedAt =
    delivery.deliveredReportedAt ?? earliest(reportedDelivered.map(({ at: instant }) => instant));
  const known = { exposedAt, goalEventAt, deliveredReportedAt };
  const converts =
    delivery.exposedAt === null &&
    delivery.at.converted === undefined &&
    exposedAt !== null &&
    goalEventAt !== null &&
    goalEventAt >= exposedAt;
  if (!converts) return { state, at, ...known };
  return { state: "converted", at: { ...at, converted: goalEventAt }, ...known };
}

/**
 * The delivery after goal events of its user: the first of them at or after the exposure converts it. With `fromClick` (push), events
 * convert only from a tap or an action on, and earlier ones are not recorded.
 */
export function afterGoalEvents(
  delivery: Lifecycle,
  instants: readonly number[],
  { fromClick }: { fromClick: boolean },
): Lifecycle {
  const { at, exposedAt } = delivery;
  if (instants.length === 0 || at.converted !== undefined || (fromClick && at.clicked === undefined))
    return delivery;
  const goalEventAt = Math.max(delivery.goalEventAt ?? 0, ...instants);
  const from = fromClick ? Math.max(at.clicked ?? 0, exposedAt ?? 0) : exposedAt;
  const converted = from === null ? null : earliest(instants.filter((instant) => instant >= from));
  if (converted === null) return { ...delivery, goalEventAt };
  return { ...delivery, state: "converted", at: { ...at, converted }, goalEventAt };
}

/** Which hits of a delivery turned out to be a bot's. */
export type BotHits = { opened: boolean; clicked: boolean };

/** Resolutions that stay when a bot's hits are reverted; of two at one instant the last one is the state. */
export const LASTING = [
  "bounced",
  "complained",
  "unsubscribed",
  "converted",
] as const satisfies readonly InstantEvent[];

function stateAfterRevert({ state, at }: Lifecycle): DeliveryState {
  if (state !== "opened" && state !== "clicked" && state !== "converted") return state;
  if (at[state] !== undefined) return state;
  const newest = Math.max(...LASTING.map((event) => at[event] ?? Number.NEGATIVE_INFINITY));
  const lasting = LASTING.findLast((event) => at[event] === newest);
  return (
    lasting ??
    (["clicked", "opened", "delivered"] as const).find((event) => at[event] !== undefined) ??
    "sent"
  );
}

/**
 * The delivery without a bot's hits, and without what only they had caused: that it was delivered, the exposure, and a conversion
 * that needed this exposure. It stays sent, since the bot had the message, and delivered where that was reported too.
 * @param lastGoalEventAt the user's last goal event (epoch ms): a converted delivery does not record later ones
 */
export function revert(delivery: Lifecycle, hits: BotHits, lastGoalEventAt: number | null): Lifecycle {
  const { opened, clicked, delivered, converted, ...others } = delivery.at;
  const reverted = earliest([hits.opened ? opened : null, hits.clicked ? clicked : null]);
  if (reverted === null) return delivery;
  const nextOpened = hits.opened ? undefined : opened;
  const nextClicked = hits.clicked ? undefined : clicked;
  const { deliveredReportedAt } = delivery;
  const nextDelivered =
    delivered === reverted
      ? (earliest([deliveredReportedAt, nextOpened, nextClicked]) ?? undefined)
      : delivered;
  const exposedAt = delivery.exposedAt === (delivered ?? null) ? (nextDelivered ?? null) : delivery.exposedAt;
  const known = converted === undefined ? [delivery.goalEventAt] : [delivery.goalEventAt, lastGoalEventAt];
  const goalEvents = known.filter((at) => at !== null);
  const goalEventAt = goalEvents.length === 0 ? null : Math.max(...goalEvents);
  const conversion = [converted, goalEventAt].find(
    (at) => converted !== undefined && at != null && exposedAt !== null && at >= exposedAt,
  );
  const at = {
    ...others,
    ...(nextOpened === undefined ? {} : { opened: nextOpened }),
    ...(nextClicked === undefined ? {} : { clicked: nextClicked }),
    ...(nextDelivered === undefined ? {} : { delivered: nextDelivered }),
    ...(conversion == null ? {} : { converted: conversion }),
  };
  const next = { ...delivery, at, exposedAt, goalEventAt };
  return { ...next, state: stateAfterRevert(next) };
}
