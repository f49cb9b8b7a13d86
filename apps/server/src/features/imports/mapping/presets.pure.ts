import type { ImportKind, ImportMapping, Preset, StopRule } from "../schema.ts";
import { EACH_KEY, type FileShape } from "./file-shape.pure.ts";

const listed = (names: string): readonly string[] => names.split(", ");

const unsubscribedIf = (column: string, at?: string): StopRule => ({
  column,
  when: "true",
  reason: "unsubscribed",
  at,
});
const since = (column: string, reason: StopRule["reason"]): StopRule => ({
  column,
  when: "given",
  reason,
  at: column,
});
const always: StopRule = { column: null, when: "always", reason: "unsubscribed" };
const REASONS = ["unsubscribed", "bounced", "complained", "manual"] as const;

const USERS_AND_SUPPRESSIONS = ["users", "suppressions"] as const;

/** PostHog's properties of a browser or a device, with those that say where something happened, as Tidings calls them too. */
const POSTHOG_KEYS = {
  prefix: "$",
  but: ["$current_url", "$pathname"],
  and: ["token", "distinct_id"],
} as const;

const LISTMONK = {
  writer: "listmonk",
  recognizedBy: [["uuid"], ["email"], ["attributes"], ["status"]],
  id: "email",
  email: ["email"],
} as const;

const SEGMENT = {
  writer: "segment",
  id: "column",
  suppressed: [],
  knowsStops: true,
} as const;

const OWN_EVENTS = {
  writer: "tidings",
  kinds: ["events"],
  recognizedBy: [["externalUserId"], ["endUserId"], ["name"], ["ts"]],
  id: "column",
  userId: ["externalUserId"],
  event: ["name"],
  ts: ["ts"],
  spread: ["props"],
  only: [],
  leftOut: ["endUserId", "id"],
  suppressed: [],
  knowsStops: true,
} as const;

const CALLS = {
  writer: "segment_calls",
  recognizedBy: [["messageId"], ["type"], ["userId"], ["receivedAt", "sentAt", "originalTimestamp"]],
  id: "column",
  userId: ["userId"],
  only: [],
  leftOut: [],
  suppressed: [],
  knowsStops: true,
  line: { isCall: true },
} as const;

/** The first shape that fits a file is the one that is meant. */
export const FILE_SHAPES: readonly FileShape[] = [
  {
    writer: "customerio",
    kinds: USERS_AND_SUPPRESSIONS,
    recognizedBy: [["cio_id"]],
    id: "column",
    userId: ["id"],
    email: ["email"],
    firstSeenAt: ["created_at", "cio_created_at"],
    leftOut: ["cio_id", "_*"],
    suppressed: [unsubscribedIf("unsubscribed")],
    knowsStops: true,
    line: { elseEmail: true },
  },
  {
    writer: "braze",
    kinds: USERS_AND_SUPPRESSIONS,
    recognizedBy: [["Braze ID", "Appboy ID", "braze_id", "appboy_id"]],
    id: "column",
    userId: ["user_id", "external_id"],
    email: ["email"],
    firstSeenAt: ["created_at", "first_session"],
    spread: ["custom_attributes"],
    // Identifiers of devices, and histories that no audience can use.
    leftOut: listed(
      "Braze ID, Appboy ID, braze_id, appboy_id, devices, push_tokens, number_of_*, IDFA, " +
        "IDFAs, IDFVs, google_ad_ids, roku_ad_ids, windows_ad_ids, apps, created_from, " +
        "last_app_version_used, random_bucket, user_aliases, custom_events, purchases, " +
        "campaigns_received, canvases_received, cards_clicked",
    ),
    suppressed: [
      since("unsubscribed_from_emails_at", "unsubscribed"),
      { column: "email_subscribe", when: ["unsubscribed"], reason: "unsubscribed" },
    ],
    knowsStops: true,
  },
  {
    writer: "onesignal",
    kinds: USERS_AND_SUPPRESSIONS,
    recognizedBy: [["invalid_identifier"], ["device_type"]],
    id: "column",
    userId: ["external_user_id"],
    email: ["identifier"],
    firstSeenAt: ["created_at"],
    spread: ["tags"],
    only: ["language", "country", "timezone_id"],
    renamed: { timezone_id: "timezone" },
    leftOut: [],
    suppressed: [
      { column: "invalid_identifier", when: "true", reason: "bounced" },
      { column: "notification_types", when: "negative", reason: "unsubscribed" },
    ],
    knowsStops: true,
    line: { elseEmail: true, emailIf: { column: "device_type", is: "11" } },
  },
  {
    ...LISTMONK,
    kinds: ["users"],
    firstSeenAt: ["created_at"],
    spread: ["attributes"],
    only: ["name"],
    leftOut: [],
    suppressed: [
      { column: "status", when: ["blocklisted"], reason: "unsubscribed", at: "updated_at" },
      { column: "status", when: ["disabled"], reason: "manual", at: "updated_at" },
    ],
    knowsStops: false,
    warning:
      "Leaving a single list is not in this file. Export again with subscription_status=unsubscribed, and bring that file in as suppressions first.",
  },
  {
    ...LISTMONK,
    kinds: ["suppressions"],
    leftOut: [],
    suppressed: [always],
    knowsStops: true,
    warning:
      "Each address of this file will get no mail. Bring in the export with subscription_status=unsubscribed, not that of all subscribers: the two look alike.",
  },
  {
    writer: "mailchimp",
    kinds: USERS_AND_SUPPRESSIONS,
    recognizedBy: [["Email Address"], ["LEID", "EUID"]],
    id: "email",
    email: ["Email Address"],
    firstSeenAt: ["OPTIN_TIME", "CONFIRM_TIME"],
    lists: ["TAGS"],
    renamed: {
      "First Name": "first_name",
      "Last Name": "last_name",
      "Phone Number": "phone",
      TAGS: "tags",
      CC: "country",
      REGION: "region",
      TIMEZONE: "timezone",
    },
    leftOut: listed(
      "MEMBER_RATING, OPTIN_TIME, OPTIN_IP, CONFIRM_TIME, CONFIRM_IP, LATITUDE, LONGITUDE, " +
        "GMTOFF, DSTOFF, LAST_CHANGED, LEID, EUID, NOTES, UNSUB_*, CLEAN_*",
    ),
    suppressed: [since("UNSUB_TIME", "unsubscribed"), since("CLEAN_TIME", "bounced")],
    knowsStops: true,
    warning:
      "Mailchimp writes three files: subscribed, unsubscribed and cleaned. Bring in the last two as well, so that their addresses get no mail.",
  },
  {
    writer: "posthog",
    kinds: ["events"],
    recognizedBy: [["uuid"], ["event"], ["distinct_id"], ["properties"]],
    id: "column",
    userId: ["distinct_id"],
    event: ["event"],
    ts: ["timestamp"],
    eventId: ["uuid"],
    spread: ["properties"],
    userTraits: ["properties.$set"],
    only: [],
    leftOut: [],
    suppressed: [],
    knowsStops: true,
    warning:
      "Events whose name begins with $ are left out, but for $pageview; so is the address in $set, which comes with the file of persons. A visitor who never signed in becomes a user.",
    line: { ownEvents: { prefix: "$", but: ["$pageview"] }, ownKeys: POSTHOG_KEYS },
  },
  {
    writer: "posthog",
    kinds: ["users"],
    recognizedBy: [
      ["distinct_id"],
      ["person_id", "person_version", "person_distinct_id_version"],
      ["properties"],
    ],
    id: "column",
    userId: ["distinct_id"],
    email: ["properties.email"],
    firstSeenAt: ["created_at"],
    spread: ["properties"],
    only: [],
    leftOut: [],
    suppressed: [],
    knowsStops: true,
    warning: "A person with several distinct_ids becomes as many users, each with the same address.",
    line: {
      skips: { column: "is_deleted", text: "The person was deleted in PostHog." },
      ownKeys: POSTHOG_KEYS,
    },
  },
  {
    ...SEGMENT,
    kinds: ["events"],
    recognizedBy: [["received_at"], ["anonymous_id"], ["event", "event_text"]],
    userId: ["user_id"],
    // The name as it was tracked; `event` is made of it for the name of a table.
    event: ["event_text", "event"],
    ts: ["timestamp", "original_timestamp", "received_at"],
    eventId: ["id"],
    leftOut: listed(
      "event, anonymous_id, received_at, sent_at, timestamp, original_timestamp, uuid, " +
        "uuid_ts, loaded_at, context_*, __*",
    ),
  },
  {
    ...SEGMENT,
    kinds: ["users"],
    recognizedBy: [["received_at"], ["anonymous_id", "uuid_ts"]],
    userId: ["user_id", "id"],
    email: ["email"],
    firstSeenAt: ["created_at", "received_at"],
    leftOut: listed(
      "id, anonymous_id, received_at, sent_at, timestamp, original_timestamp, uuid, " +
        "uuid_ts, loaded_at, context_*, __*",
    ),
  },
  {
    ...CALLS,
    kinds: ["users"],
    email: ["traits.email"],
    firstSeenAt: ["timestamp", "originalTimestamp", "receivedAt"],
    spread: ["traits"],
    warning:
      "Of these calls, identify and group say what is known of users. Bring the same file in once more as events, for what users did.",
  },
  {
    ...CALLS,
    kinds: ["events"],
    event: ["event"],
    ts: ["timestamp", "originalTimestamp", "receivedAt"],
    eventId: ["messageId"],
    spread: ["properties"],
    warning:
      "Of these calls, track, page and screen say what users did. Bring the same file in once more as users, for what is known of them.",
  },
  {
    writer: "tidings",
    kinds: ["users"],
    recognizedBy: [["externalUserId"], ["firstSeenAt"], ["lastSeenAt"]],
    id: "column",
    userId: ["externalUserId"],
    email: ["traits.email"],
    firstSeenAt: ["firstSeenAt"],
    spread: ["traits", "otherTraits"],
    leftOut: ["id", "lastSeenAt"],
    suppressed: [],
    knowsStops: true,
  },
  { ...OWN_EVENTS, recognizedBy: [...OWN_EVENTS.recognizedBy, ["eventId"]], eventId: ["eventId"] },
  {
    ...OWN_EVENTS,
    eventId: ["id"],
    warning:
      "This list is of an older version: in the project that these events came from, each of them would be there twice.",
  },
  {
    writer: "tidings",
    kinds: ["suppressions"],
    recognizedBy: [["address"], ["reason"], ["suppressedAt"]],
    id: "email",
    email: ["address"],
    leftOut: [],
    suppressed: REASONS.map((reason) => ({ column: "reason", when: [reason], reason, at: "suppressedAt" })),
    knowsStops: true,
  },
];

const lowerCase = (columns: readonly string[]): ReadonlyMap<string, string> =>
  new Map(columns.toReversed().map((column) => [column.toLowerCase(), column]));

/** The column that a tool calls so, as the file spells it: a warehouse may write its names in capitals. */
export function columnLike(columns: readonly string[], name: string): string | null {
  if (columns.includes(name)) return name;
  return lowerCase(columns).get(name.toLowerCase()) ?? null;
}

/** What a file of a kind is, by its columns; null where no tool is known that writes such ones. */
export function shapeOfColumns(kind: ImportKind, columns: readonly string[]): FileShape | null {
  const known = lowerCase(columns);
  const has = (name: string) => known.has(name.toLowerCase());
  return (
    FILE_SHAPES.find(
      ({ kinds, recognizedBy }) => kinds.includes(kind) && recognizedBy.every((names) => names.some(has)),
    ) ?? null
  );
}

/** What a tool writes into a file of a kind; null where it writes none. */
export const shapeWritten = (kind: ImportKind, writer: FileShape["writer"]): FileShape | null =>
  FILE_SHAPES.find((shape) => shape.writer === writer && shape.kinds.includes(kind)) ?? null;

/** The shape of a file whose preset was chosen; without one it may still be a list of Tidings. */
export function shapeChosen(
  kind: ImportKind,
  preset: Preset | null,
  columns: readonly string[],
): FileShape | null {
  if (preset !== null) return shapeWritten(kind, preset);
  const recognized = shapeOfColumns(kind, columns);
  return recognized?.writer === "tidings" ? recognized : null;
}

/** Whether a name is one of those that do not come along. */
export const isLeftOut = (name: string, leftOut: readonly string[]): boolean =>
  leftOut.some((pattern) =>
    pattern.endsWith("*")
      ? name.toLowerCase().startsWith(pattern.slice(0, -1).toLowerCase())
      : name.toLowerCase() === pattern.toLowerCase(),
  );

const bringsAddresses = ({ email, traits }: ImportMapping): boolean =>
  email !== undefined ||
  traits === "rest" ||
  (traits ?? []).some(({ as }) => as === "email" || as === EACH_KEY);

/**
 * Whether the start of an import may go without a word about who left: false for a file of users that brings addresses, and does not say
 * which of them get no mail. An object whose keys become traits may have an address.
 */
export function stopsKnown(kind: ImportKind, mapping: ImportMapping, preset: Preset | null): boolean {
  if (kind !== "users" || !bringsAddresses(mapping)) return true;
  if (mapping.suppressed === undefined || mapping.suppressed.length === 0) return false;
  return preset === null || (shapeWritten(kind, preset)?.knowsStops ?? true);
}
