// What may become of a delivery, as data and as one rule. `store.ts` writes the same as SQL, and a test compares the two.

/** Every state of a delivery, in order: what only moves a delivery on never takes it to an earlier one. */
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

/**
 * How an event changes the state:
 * - `attempt`: it is the state while nothing has left yet, and is forgotten afterwards;
 * - `progress`: it is the state unless the delivery is further along already;
 * - `resolution`: the newest one is the state. Of several that are reported together, the last in `DELIVERY_EVENTS` is.
 */
type Effect = "attempt" | "progress" | "resolution";

type Rule = {
  effect: Effect;
  /** Events that must have come before this one: their instants are filled in where nobody has reported them. */
  proves?: readonly InstantEvent[];
  /** Its instant is when the user was first exposed to the message. */
  exposes?: true;
};

/** Events that have an instant of their own. */
export const INSTANT_EVENTS = [
  "sent",
  "delivered",
  "shown",
  "opened",
  "clicked",
  "dismissed",
  "bounced",
  "complained",
  "unsubscribed",
  "converted",
] as const;
export type InstantEvent = (typeof INSTANT_EVENTS)[number];
export type AttemptEvent = "failed" | "frequency_capped" | "retryable";
export type DeliveryEvent = AttemptEvent | InstantEvent;

/** The events of a delivery, the one with the highest precedence last. */
export const DELIVERY_EVENTS: Readonly<Record<DeliveryEvent, Rule>> = {
  failed: { effect: "attempt" },
  frequency_capped: { effect: "attempt" },
  retryable: { effect: "attempt" },
  sent: { effect: "progress" },
  delivered: { effect: "progress", proves: ["sent"], exposes: true },
  shown: { effect: "progress", exposes: true },
  opened: { effect: "progress", proves: ["delivered", "sent"] },
  dismissed: { effect: "resolution" },
  clicked: { effect: "resolution", proves: ["delivered", "sent"] },
  bounced: { effect: "resolution" },
  complained: { effect: "resolution" },
  unsubscribed: { effect: "resolution" },
  converted: { effect: "resolution" },
};
