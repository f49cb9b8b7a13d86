import type { SuppressionReason } from "../addresses/rules.ts";
import type { RefusalKind } from "../transport/mail-refusal.pure.ts";

/** What others report of a message. `bounced`: it was taken, and came back or was given up. */
export type ReportedEvent = "delivered" | "bounced" | "complained" | "unsubscribed";

/** Why a report keeps an address from mail. People decide the other reasons. */
export type StopReason = Exclude<SuppressionReason, "manual">;

/**
 * What a report says: what became of the message, and why its address gets no more mail. Either may be missing. `isPassing`: it came back for a
 * reason of its address that passes, such as a mailbox that is full.
 */
export type ReportEffect = { event: ReportedEvent | null; stops: StopReason | null; isPassing?: true };

export const DELIVERED: ReportEffect = { event: "delivered", stops: null };
export const COMPLAINED: ReportEffect = { event: "complained", stops: "complained" };
export const UNSUBSCRIBED: ReportEffect = { event: "unsubscribed", stops: "unsubscribed" };
export const GONE_EFFECT: ReportEffect = { event: "bounced", stops: "bounced" };
/** The message came back, and its address may be fine. */
export const RETURNED: ReportEffect = { event: "bounced", stops: null };
/** The same, and its address may take another one later. */
export const RETURNED_FOR_NOW: ReportEffect = { ...RETURNED, isPassing: true };

/**
 * The message was not sent on, because the provider sends nothing to recipients who unsubscribed or complained earlier. They did
 * not unsubscribe from this message or complain about it, so nothing is counted for it.
 */
export const suppressedBefore = (stops: "unsubscribed" | "complained"): ReportEffect => ({
  event: null,
  stops,
});

const BY_VERDICT: Readonly<Record<RefusalKind, ReportEffect>> = {
  gone: GONE_EFFECT,
  refused: RETURNED,
  later: RETURNED_FOR_NOW,
};

/** What is recorded of a message that came back for good. Only an address that is gone gets no more mail at once. */
export const returned = (verdict: RefusalKind): ReportEffect => BY_VERDICT[verdict];
