import { type Mailbox, parseMailbox } from "../sender/mailbox.pure.ts";

/** Why a project does not send to an address any more. `manual`: a person of the team decided it. */
export type SuppressionReason = "unsubscribed" | "bounced" | "complained" | "manual";

/** The mailbox in a user's email trait, which may be any JSON; null where it is not a mailbox. */
export const parseAddress = (value: unknown): Mailbox | null =>
  typeof value === "string" ? parseMailbox(value) : null;

/** What becomes of a message to an address that had as many as the cap allows. */
export type OverCap = "skip" | "postpone";

/** What is known of an address when a message is about to leave for it. */
export type AddressState = {
  isSuppressed: boolean;
  /** Campaign emails that were taken for it within the window of the cap. */
  accepted: number;
  /** Messages that are in flight. */
  onTheWay: number;
};

/**
 * Whether a message may leave. Only accepted messages put an address over the cap: while messages in flight would reach it, the next one
 * waits for their outcomes.
 */
export function mayLeave(state: AddressState, capMax: number): "send" | "suppressed" | "capped" | "wait" {
  if (state.isSuppressed) return "suppressed";
  if (capMax === 0) return "send";
  if (state.accepted >= capMax) return "capped";
  return state.accepted + state.onTheWay >= capMax ? "wait" : "send";
}

/**
 * When an address is below the cap again, epoch milliseconds; null where it is.
 * @param acceptedAt when mail was accepted for it within the window of the cap, oldest first
 */
export function freeAt(acceptedAt: readonly number[], capMax: number, capMs: number): number | null {
  const last = capMax === 0 ? undefined : acceptedAt[acceptedAt.length - capMax];
  return last === undefined ? null : last + capMs;
}
