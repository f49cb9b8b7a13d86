// What may become of a delivery, as data and as pure functions. `store.ts` says the same in SQL; a test holds both to one meaning.

/** Every state of a delivery, in order: an event that only moves a delivery on never takes it back to an earlier one. */
export const DELIVERY_STATES = [
  "queued",
  "sending",
  "retryable",
  "frequency_capped",
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

/** Events that a delivery keeps the instant of, each the first one. A counter of the campaign goes with each. */
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

/** Events that say how an attempt to send ended; they have a state and no instant. */
export const ATTEMPT_EVENTS = ["failed", "frequency_capped", "retryable"] as const;
export type AttemptEvent = (typeof ATTEMPT_EVENTS)[number];

/** What can become of a delivery. */
export type DeliveryEvent = InstantEvent | AttemptEvent;

/**
 * How an event with an instant changes the state. `progress`: it is the state, unless the delivery is further along already.
 * `resolution`: the newest one is the state; of several that are reported together, the last in `INSTANT_EVENTS`.
 */
type Rule = {
  effect: "progress" | "resolution";
  /** What must have happened before: where nobody reported it, it happened at the same instant. */
  proves?: readonly InstantEvent[];
  /** With it the user was exposed to the message. */
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

/** The events that can be reported of the deliveries of some channels. An event of another channel is never proven by one. */
export type Vocabulary<
  Instant extends InstantEvent = InstantEvent,
  Attempt extends AttemptEvent = AttemptEvent,
> = { instants: readonly Instant[]; attempts: readonly Attempt[] };

/** Deliveries that a page asks for. */
export const OF_WEB = {
  instants: ["shown", "dismissed", "clicked", "converted"],
  attempts: [],
} as const satisfies Vocabulary;

/** Deliveries that are sent: email and push. */
export const OF_SENDING = {
  instants: ["sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed"],
  attempts: ATTEMPT_EVENTS,
} as const satisfies Vocabulary;

/** A delivery, as far as events change it. Instants are epoch milliseconds. */
export type Lifecycle = {
  state: DeliveryState;
  /** When each event happened first; what did not happen is missing. */
  at: Readonly<Partial<Record<InstantEvent, number>>>;
  /** When the user was exposed to the message first. */
  exposedAt: number | null;
  /** When the user last did what the campaign's goal counts, as far as the delivery knows. */
  goalEventAt: number | null;
};

export type Reported = { event: DeliveryEvent; at: number };

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
function provenInstants({ instants }: Vocabulary, reported: readonly Reported[]): Map<InstantEvent, number> {
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
 * What a delivery is after some events were reported of it together. An event that was reported before changes nothing. An attempt
 * counts only while nothing has left. Exposure converts a delivery whose user did what the goal counts at that instant or later: that
 * event may have been recorded before the exposure was reported.
 */
export function after(delivery: Lifecycle, reported: readonly Reported[], vocabulary: Vocabulary): Lifecycle {
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
  const converts =
    delivery.exposedAt === null &&
    delivery.at.converted === undefined &&
    exposedAt !== null &&
    goalEventAt !== null &&
    goalEventAt >= exposedAt;
  if (!converts) return { state, at, exposedAt, goalEventAt };
  return { state: "converted", at: { ...at, converted: goalEventAt }, exposedAt, goalEventAt };
}

/**
 * What a delivery is after its user did, at some instants, what the campaign's goal counts: the first of them at or after the exposure
 * converts it. A push converts only from a tap or an action on (`fromClick`), and an event before that leaves nothing behind.
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
  return { state: "converted", at: { ...at, converted }, exposedAt, goalEventAt };
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
 * What a delivery is without a bot's hits, and without what followed from them alone: a delivery and an exposure that only they
 * proved, and a conversion that only this exposure allowed. That the message was sent stays: the bot had it.
 * @param lastGoalEventAt when the user last did what the goal counts (epoch ms), of all events; a converted delivery does not know
 */
export function revert(delivery: Lifecycle, hits: BotHits, lastGoalEventAt: number | null): Lifecycle {
  const { opened, clicked, delivered, converted, ...others } = delivery.at;
  const reverted = earliest([hits.opened ? opened : null, hits.clicked ? clicked : null]);
  if (reverted === null) return delivery;
  const nextOpened = hits.opened ? undefined : opened;
  const nextClicked = hits.clicked ? undefined : clicked;
  const nextDelivered =
    delivered === reverted ? (earliest([nextOpened, nextClicked]) ?? undefined) : delivered;
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
  const next = { state: delivery.state, at, exposedAt, goalEventAt };
  return { ...next, state: stateAfterRevert(next) };
}
