import { type IntakeReason, REFUSED } from "./schema.ts";

/** Why a call was not taken, or what of it was changed, as sentences for people. */
const TEXTS: Readonly<Record<IntakeReason, string>> = {
  unreadable: "A whole request was no JSON, no gzip of it, or no batch of calls: each is counted once.",
  too_large:
    "A whole request had more than 4 MiB, or too many values, when it was unpacked: each is counted once. Send fewer calls at once.",
  malformed: "The call is no object, or its traits or properties are none.",
  unknown_call: "Its type is none of identify, track, page, screen, group and alias.",
  no_user: "It names no user: none at all, or a visitor where this project keeps none (visitors.enabled).",
  user_id: "Its userId cannot be the id of one user.",
  visitor_id: "Its anonymousId cannot be the random id of one visitor, and it has no userId.",
  event_name: "A track call needs the name of an event, of 1 to 80 characters.",
  event_names:
    "The user has as many different events as a user may have: keep to few names, and put what differs into properties.",
  event_id: "Its messageId was used for another event of this user.",
  too_old: "It is older than this project keeps events (retention.eventsDays).",
  too_many_traits: "With it, the user would have more traits than a user may have.",
  two_users: "Two users never become one, and a visitor stays the first user whom they became.",
  left_out: "Its sender leaves Tidings out (integrations).",
  pages_ignored: "This project leaves out pages and screens (intake.pages).",
  server_event: "Events of this name count only from the secret key (identity.serverEvents).",
  unidentified:
    "This project demands proof of its users (context.userHash), and this call has none that fits.",
  trimmed: "Its traits or properties came to more than 4,096 bytes: the largest of them were left out.",
  number: "A number that cannot be kept exactly was left out: send it as a text.",
  server_traits: "Traits that only the secret key sets stayed as they were.",
  visitor_left_out:
    "Its anonymousId cannot be the random id of one visitor: its user was taken, and no visitor became that user.",
  other_user: "Its visitor became another user before, and stays that one: only its user was taken.",
  clock: "Its time is unreadable, in the future, or too long ago: it counts as of when it came.",
};

export const textOfReason = (reason: IntakeReason): string => TEXTS[reason];

/** Whether a call with the reason is not taken; else it is, with a change. */
export const isRefusal = (reason: IntakeReason): boolean =>
  (REFUSED as readonly IntakeReason[]).includes(reason);
