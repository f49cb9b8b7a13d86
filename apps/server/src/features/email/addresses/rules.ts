import { type Mailbox, parseMailbox } from "../sender/mailbox.pure.ts";

/** Why a project does not send to an address any more. `manual`: a person of the team decided it. */
export type SuppressionReason = "unsubscribed" | "bounced" | "complained" | "manual";

/** Why an address gets no receipts: unsubscribing leaves those alone. */
export type ReceiptsStop = Exclude<SuppressionReason, "unsubscribed">;

/** What mail goes to an address as: that of campaigns, or receipts, which are transactional. Each is stopped by itself. */
export type Stream = "campaigns" | "receipts";

/** The mailbox in a user's email trait, which may be any JSON; null where it is not a mailbox. */
export const parseAddress = (value: unknown): Mailbox | null =>
  typeof value === "string" ? parseMailbox(value) : null;
