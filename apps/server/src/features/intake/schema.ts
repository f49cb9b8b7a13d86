import { z } from "zod";
import { count, epochMs, text } from "../../platform/http/contract/fields.ts";

/** What a library may say of a user. */
export const CALLS = ["identify", "track", "page", "screen", "group", "alias"] as const;
export type CallType = (typeof CALLS)[number];

/** Most calls of one request. */
export const MOST_CALLS = 2_500;

const id = z.union([text(256), z.int().min(0).max(Number.MAX_SAFE_INTEGER)]);
const own = z.record(z.string(), z.unknown());
const iso = text(64);

/** What a call may say, as the Segment specification has it. Calls are read leniently: this is for the document alone. */
const call = {
  userId: id
    .optional()
    .describe("The user's id in your product. A call without one is taken of a visitor alone."),
  anonymousId: id
    .optional()
    .describe(
      "The random id of a visitor who is not signed in, where the project keeps visitors (setting visitors.enabled). Of identify, with `userId`: the visitor is that user from then on.",
    ),
  event: text(80).optional().describe("Of track: the name of the event."),
  properties: own
    .optional()
    .describe(
      "Of track, page and screen: what is known of it. Over 4,096 bytes, the largest are left out and named in `$trimmed`.",
    ),
  traits: own.optional().describe("Of identify and group: what is known of the user, or of the group."),
  name: text(256).optional().describe("Of page and screen: how it is called."),
  category: text(256).optional().describe("Of page and screen: what it belongs to."),
  groupId: id
    .optional()
    .describe("Of group: becomes the trait `group`, with the traits of the call, and `group_id`."),
  previousId: id
    .optional()
    .describe("Of alias: the id of the visitor whom the user was. Two users never become one."),
  messageId: text(256).optional().describe("The id of this call: sent again, it is not counted again."),
  timestamp: iso.optional().describe("When it happened, by the clock of the sender."),
  originalTimestamp: iso.optional().describe("The same; it counts before `timestamp`."),
  sentAt: iso.optional().describe("When it was sent, by the same clock: how far that is off is taken away."),
  context: own
    .optional()
    .describe("`library`, `page`, `traits` and `userHash` (the proof of the user) are read of it."),
  integrations: own.optional().describe("`Tidings: false`, or `All: false`, leaves the call out."),
};

const written = (shape: z.ZodRawShape): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(z.looseObject(shape), { io: "input" });
  return schema;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The body of a request: a call, or a batch of calls. Nothing in it but that it is an object is judged before its calls are read. */
export const CallsBody = z.custom<Readonly<Record<string, unknown>>>(isObject, "must be a JSON object").meta(
  written({
    ...call,
    batch: z
      .array(z.looseObject({ type: z.enum(CALLS).describe("What the call says."), ...call }))
      .max(MOST_CALLS)
      .optional()
      .describe("Of a batch: its calls. What the body says beside them goes for those that do not say it."),
    writeKey: text(256).optional().describe("The key of the project, where no header has it."),
  }),
);

/** The reasons for which a call is not taken, and those for which something of it is changed. */
export const REFUSED = [
  "unreadable",
  "too_large",
  "malformed",
  "unknown_call",
  "no_user",
  "user_id",
  "visitor_id",
  "event_name",
  "event_names",
  "event_id",
  "too_old",
  "too_many_traits",
  "two_users",
  "left_out",
  "pages_ignored",
  "server_event",
  "unidentified",
] as const;
export const CHANGED = [
  "trimmed",
  "number",
  "server_traits",
  "visitor_left_out",
  "other_user",
  "clock",
] as const;

export const IntakeReason = z
  .enum([...REFUSED, ...CHANGED])
  .describe("Why a call was not taken, or what of it was changed.");
export type IntakeReason = z.infer<typeof IntakeReason>;

/** The calls of one kind that a library sent. */
const IntakeCalls = z.object({
  library: z.string().max(64).describe("What the library calls itself; `unknown` where it says nothing."),
  call: z.enum([...CALLS, "unknown"]).describe("What it said of a user."),
  taken: count.describe("Calls that were taken."),
  refused: count.describe("Calls that were not."),
  lastAt: epochMs.describe("When the last one came, epoch milliseconds."),
});

/** Calls that were not taken, or not as they came. */
const IntakeProblem = IntakeCalls.pick({ library: true, call: true }).extend({
  reason: IntakeReason,
  isRefused: z.boolean().describe("Whether such a call is not taken; else it is, with a change."),
  text: z.string().max(300).describe("The reason in words."),
  count: count.describe("How many calls."),
  names: z
    .array(z.string().max(80))
    .max(5)
    .describe("Some of the events, traits or properties that they are about."),
  lastAt: epochMs.describe("When the last one came, epoch milliseconds."),
});

/** What the libraries of other services sent. */
export const Intake = z
  .object({
    since: epochMs.describe("The hour since when calls are counted, epoch milliseconds."),
    calls: z.array(IntakeCalls).max(2_000).describe("By library and call, the most frequent first."),
    problems: z
      .array(IntakeProblem)
      .max(2_000)
      .describe("By library, call and reason, the most frequent first."),
  })
  .meta({ id: "Intake" });
export type Intake = z.input<typeof Intake>;
