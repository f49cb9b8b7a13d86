import type { DeliveryState } from "../deliveries/lifecycle/rules.ts";

/** The most files of one mail, and bytes of all of them. */
export const MAX_FILES = 10;
export const MAX_FILE_BYTES = 7_000_000;
/** The furthest ahead that a mail may be requested for, in milliseconds. */
export const MAX_AHEAD_MS = 30 * 86_400_000;

/** The key of the template of mail that code has written itself; requests cannot name it. */
export const OWN_MAIL = "$code";

/** The most characters of the id of a user, as `storedUserId` takes it. */
export const MAX_USER_ID = 256;

/** The id of a user whom only an address is known of. They have no traits, so that no campaign reaches them. */
export const guestIdOf = (address: string): string => `mailto:${address.toLowerCase()}`;

/** What has become of a mail that was requested. */
export const SEND_STATES = [
  "waiting",
  "sending",
  "sent",
  "delivered",
  "bounced",
  "complained",
  "suppressed",
  "failed",
  "unknown",
] as const;
export type SendState = (typeof SEND_STATES)[number];

/** The status of its row in the queue of mail. */
export type SendStatus =
  | "waiting"
  | "sending"
  | "accepted"
  | "unknown"
  | "failed"
  | "capped"
  | "suppressed"
  | "withdrawn";

/** What has become of a mail: what its delivery says once it has left, and what the queue says before. */
export function sendStateOf(status: SendStatus, delivery: DeliveryState): SendState {
  if (delivery === "bounced" || delivery === "complained") return delivery;
  switch (status) {
    case "waiting":
    case "sending":
    case "unknown":
    case "suppressed":
    case "failed":
      return status;
    case "capped":
    case "withdrawn":
      return "failed";
    case "accepted":
      return delivery === "sent" || delivery === "sending" ? "sent" : "delivered";
  }
}
