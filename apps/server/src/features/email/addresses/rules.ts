import { type Mailbox, parseMailbox } from "../../settings/sender.pure.ts";

/** Why a project does not send to an address any more. `manual`: a person said so. */
export type SuppressionReason = "unsubscribed" | "bounced" | "complained" | "manual";

/** Where a mail to a user goes, from whatever their trait is; null when that is no mailbox. */
export const parseAddress = (value: unknown): Mailbox | null =>
  typeof value === "string" ? parseMailbox(value) : null;

/** What is known of an address when a message is about to leave for it. */
export type AddressState = {
  isSuppressed: boolean;
  /** Campaign emails that were taken for it within the window of the cap. */
  accepted: number;
  /** Messages that are on their way. */
  onTheWay: number;
};

/**
 * Whether a message may leave. Over the cap for good only by what was accepted: while messages that are on their way would fill
 * it, the next one waits to see what becomes of them.
 */
export function mayLeave(state: AddressState, capMax: number): "send" | "suppressed" | "capped" | "wait" {
  if (state.isSuppressed) return "suppressed";
  if (capMax === 0) return "send";
  if (state.accepted >= capMax) return "capped";
  return state.accepted + state.onTheWay >= capMax ? "wait" : "send";
}
