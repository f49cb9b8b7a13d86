import { z } from "zod";
import { eventName } from "../../../domain/fields.ts";
import { mention, shownAs, text } from "../../../platform/http/contract/fields.ts";

/** Limits of one expression, so that no audience takes long to evaluate. */
export const MAX_DEPTH = 8;
/** Nodes of a tree, groups and `where` conditions included. */
export const MAX_NODES = 64;
/** Members of one group. */
export const MAX_CHILDREN = 16;
export const MAX_WHERE = 8;
/** Members of the list of `in` and `not_in`. */
export const MAX_MEMBERS = 50;
export const MAX_KEY_LENGTH = 128;
export const MAX_EVENT_LENGTH = 80;
/** The most characters of a text in a comparison. */
export const MAX_TEXT_LENGTH = 1_000;
export const MAX_EVENT_COUNT = 10_000;
/** Campaigns that one message node names. */
export const MAX_CAMPAIGNS = 20;
/** Occurrences are counted exactly up to here; the number itself means "at least". One more than the largest count of an expression. */
export const MAX_EVALUATED_EVENT_OCCURRENCES = 10_001;

/** Units of a window, in milliseconds. A day is 24 hours. */
export const WINDOW_UNITS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
export const MAX_WINDOW_MS = 3_650 * WINDOW_UNITS.days;

export type WindowUnit = keyof typeof WINDOW_UNITS;
/** A stretch of time that ends when the audience is evaluated, or begins then. */
export type Window = { amount: number; unit: WindowUnit };

/** A value that a trait is compared with: strictly, without coercion. */
export type TraitValue = string | number | boolean;
/** What Tidings knows of every user by itself: the id in the customer's product, and two instants. */
export const USER_FIELDS = ["id", "firstSeenAt", "lastSeenAt"] as const;
export type UserField = (typeof USER_FIELDS)[number];

export type TraitRef = { kind: "trait"; key: string };
export type UserFieldRef = { kind: "user"; field: UserField };
/** A property of an event; only in the `where` of an event node. Keys are literal, dots included. */
export type PropertyRef = { kind: "event_property"; key: string };
export type FieldRef = TraitRef | UserFieldRef | PropertyRef;

/** Operators that compare with an instant, a window or nothing: the only ones that instants of users take. */
export const TIME_OPERATORS = [
  "exists",
  "not_exists",
  "before",
  "after",
  "within_last",
  "not_within_last",
  "within_next",
  "not_within_next",
] as const;

/** Operators that compare texts: the only ones that ids of users take. Whether there is an id is no question: every user has one. */
export const ID_OPERATORS = ["eq", "neq", "in", "not_in", "contains", "starts_with", "ends_with"] as const;

export const OPERATORS = [...ID_OPERATORS, "gt", "gte", "lt", "lte", ...TIME_OPERATORS] as const;
export type Operator = (typeof OPERATORS)[number];

/** An operator with the value that it compares to. `before` and `after` take ISO-8601 with an explicit offset. */
export type OperatorComparison =
  | { op: "eq" | "neq"; value: TraitValue }
  | { op: "in" | "not_in"; value: string[] | number[] }
  | { op: "contains" | "starts_with" | "ends_with"; value: string }
  | { op: "gt" | "gte" | "lt" | "lte"; value: number }
  | { op: "exists" | "not_exists" }
  | { op: "before" | "after"; value: string }
  | { op: "within_last" | "not_within_last" | "within_next" | "not_within_next"; value: Window };

export type FieldNode = { kind: "field"; field: TraitRef | UserFieldRef } & OperatorComparison;
/** A condition on an event's own properties. */
export type WhereNode = { kind: "field"; field: PropertyRef } & OperatorComparison;

export const COUNT_OPERATORS = ["eq", "neq", "gt", "gte", "lt", "lte"] as const;
/** How often something has to have happened. */
export type EventCount = { op: (typeof COUNT_OPERATORS)[number]; value: number };

/** How often a user did something: within the window, where there is one, and with properties that meet every `where`. */
export type EventNode = {
  kind: "event";
  event: string;
  count: EventCount;
  window?: Window;
  where?: WhereNode[];
};

/**
 * What a user may have done with a message. `received`: it left for them and did not come back (email, push), or was shown to them (in
 * the page). What programs open and click in mail is no user's deed.
 */
export const MESSAGE_DEEDS = ["received", "opened", "clicked", "dismissed"] as const;
export type MessageDeed = (typeof MESSAGE_DEEDS)[number];

/** The channels of messages, each with what can be done with its messages. */
export const DEEDS_BY_CHANNEL = {
  web_inapp: ["received", "clicked", "dismissed"],
  email: ["received", "opened", "clicked"],
  push: ["received", "opened", "clicked"],
} as const satisfies Record<string, readonly MessageDeed[]>;
export type MessageChannel = keyof typeof DEEDS_BY_CHANNEL;
export const MESSAGE_CHANNELS = ["web_inapp", "email", "push"] as const satisfies readonly MessageChannel[];

/** With how many messages a user did something: of some campaigns, in one channel and within the window, where these are given. */
export type MessageNode = {
  kind: "message";
  did: MessageDeed;
  /** Ids of the API. */
  campaigns?: string[];
  channel?: MessageChannel;
  count: EventCount;
  window?: Window;
};

/** A condition on what users did, of which there may be many. */
export type CountingNode = EventNode | MessageNode;

/** A node of an audience expression in its canonical form. `compile.pure.ts` and SQL evaluate the tree. */
export type AudienceNode =
  | { kind: "all" | "any"; children: AudienceNode[] }
  | { kind: "not"; child: AudienceNode }
  | FieldNode
  | CountingNode;

export type AudienceExpression = { version: 1; root: AudienceNode };

/** An error or warning about an expression, and its place in it. */
export const Diagnostic = z
  .object({
    severity: z.enum(["error", "warning", "info"]).describe("How much it matters."),
    code: z.string().max(64).describe("Stable; what a program switches on."),
    path: z.string().max(1_000).describe("JSON pointer into what was sent."),
    message: z.string().max(1_000).describe("What there is to say, for people."),
    suggestions: z.array(z.string().max(200)).max(5).optional().describe("Names that were likely meant."),
  })
  .meta({ id: "Diagnostic" });
export type Diagnostic = z.infer<typeof Diagnostic>;

const eventNames = z.array(eventName).max(50);

/** The deprecated flat form: every condition must be met; no condition means all users. */
export const Targeting = z.object({
  traits: z
    .record(
      text(MAX_KEY_LENGTH),
      z.union(
        [text(MAX_TEXT_LENGTH, 0), z.number(), z.boolean()],
        "must be a string, a number, true or false",
      ),
    )
    .optional()
    .describe("Traits that the user must have, each with this value."),
  events: z
    .object({
      seen: eventNames.optional().describe("Events that the user must have done."),
      not_seen: eventNames.optional().describe("Events that the user must not have done."),
    })
    .optional()
    .describe("What the user must have done, and must not have done."),
});
export type Targeting = z.infer<typeof Targeting>;

/**
 * The audience that a campaign stores: all users (with the reason given for it), or an expression, with the version that it pins. A version
 * never changes, so its expression is stored here too, and the feed and sweeps need no second look-up.
 */
export type StoredAudience =
  | { kind: "all"; reason?: string | undefined }
  | {
      kind: "expression";
      /** Null or absent in the deprecated flat form, which has no versions. */
      audienceVersionId?: string | null | undefined;
      expression: AudienceExpression;
      reason?: string | null | undefined;
      legacy: boolean;
    }
  | {
      kind: "segment";
      audienceVersionId: string;
      segmentId: string;
      segmentVersion: number;
      expression: AudienceExpression;
      reason?: string | null | undefined;
    };

const key = z.string().min(1).max(MAX_KEY_LENGTH);
const comparedText = z.string().max(MAX_TEXT_LENGTH);
const WindowShape = z
  .object({
    amount: z
      .int()
      .min(1)
      .max(MAX_WINDOW_MS / WINDOW_UNITS.minutes)
      .describe("How many units."),
    unit: z.enum(["minutes", "hours", "days"]).describe("What is counted."),
  })
  .meta({ id: "AudienceWindow" });
const ComparedValue = z
  .union([
    comparedText,
    z.number(),
    z.boolean(),
    z.array(comparedText).min(1).max(MAX_MEMBERS),
    z.array(z.number()).min(1).max(MAX_MEMBERS),
    WindowShape,
  ])
  .meta({
    id: "ComparedValue",
    description:
      "eq, neq: a string, number or boolean. in, not_in: strings, or numbers. contains, starts_with, ends_with: a string. gt, gte, lt, lte: a number. before, after: ISO-8601 with an offset. within_last, not_within_last: a window back from now. within_next, not_within_next: one ahead. exists, not_exists: none.",
  });
const CountShape = z
  .object({
    op: z.enum(COUNT_OPERATORS).describe("How it is compared."),
    value: z.int().min(0).max(MAX_EVENT_COUNT).describe("How often."),
  })
  .meta({ id: "AudienceCount" });
const comparison = {
  op: z.enum(OPERATORS).describe("How it is compared."),
  value: mention(ComparedValue, "What it is compared with.").optional(),
};
const PropertyShape = z.object({
  kind: z.literal("event_property").describe("Which kind it is of."),
  key: key.describe("Name of the trait, or of the property."),
});
const WhereShape = z.object({
  kind: z.literal("field").describe("Which kind it is of."),
  field: PropertyShape.describe("What of the user is looked at."),
  ...comparison,
});

type Shown = { op: Operator; value?: TraitValue | string[] | number[] | Window | undefined };
/** A node as the API shows it: like `AudienceNode`, but with any value at any operator. */
type ShownNode =
  | { kind: "all" | "any"; children: ShownNode[] }
  | { kind: "not"; child: ShownNode }
  | ({ kind: "field"; field: FieldRef } & Shown)
  | {
      kind: "event";
      event: string;
      count?: EventCount | undefined;
      window?: Window | undefined;
      where?: ({ kind: "field"; field: PropertyRef } & Shown)[] | undefined;
    }
  | {
      kind: "message";
      did: MessageDeed;
      campaigns?: string[] | undefined;
      channel?: MessageChannel | undefined;
      count?: EventCount | undefined;
      window?: Window | undefined;
    };

const Node: z.ZodType<ShownNode> = z.lazy(() => AnyNode).meta({ id: "AudienceNode" });

const AnyNode = z.union([
  z.object({
    kind: z.enum(["all", "any"]).describe("Which kind it is of."),
    children: z.array(Node).min(1).max(MAX_CHILDREN).describe("Conditions of a group."),
  }),
  z.object({
    kind: z.literal("not").describe("Which kind it is of."),
    child: mention(Node, "The condition that must not hold."),
  }),
  z.object({
    kind: z.literal("field").describe("Which kind it is of."),
    field: z
      .union([
        z.object({
          kind: z.literal("trait").describe("Which kind it is of."),
          key: key.describe("Name of the trait, or of the property."),
        }),
        z.object({
          kind: z.literal("user").describe("Which kind it is of."),
          field: z
            .enum(USER_FIELDS)
            .describe("The id in your product, which is a text, or one of the two instants."),
        }),
        PropertyShape,
      ])
      .describe("What of the user is looked at."),
    ...comparison,
  }),
  z.object({
    kind: z.literal("event").describe("Which kind it is of."),
    event: eventName.describe("Name of the event."),
    count: mention(CountShape, "At least once where it is left out.").optional(),
    window: mention(WindowShape, "The stretch of time that is asked about.").optional(),
    where: z
      .array(WhereShape)
      .min(1)
      .max(MAX_WHERE)
      .optional()
      .describe("Conditions on the event's own properties, all of which must hold."),
  }),
  z.object({
    kind: z.literal("message").describe("Which kind it is of."),
    did: z
      .enum(MESSAGE_DEEDS)
      .describe("What the user did with messages; programs that read mail do nothing."),
    campaigns: z
      .array(z.string().max(64))
      .min(1)
      .max(MAX_CAMPAIGNS)
      .optional()
      .describe("Ids of campaigns; messages of any campaign where they are left out."),
    channel: z.enum(MESSAGE_CHANNELS).optional().describe("Any channel where it is left out."),
    count: mention(CountShape, "With how many messages: at least one where it is left out.").optional(),
    window: mention(WindowShape, "The stretch of time that is asked about.").optional(),
  }),
]);

/** Conditions on the properties of an event, in a response. */
export const EventConditions = z
  .array(WhereShape)
  .min(1)
  .max(MAX_WHERE)
  .meta({ id: "EventConditions", description: "Conditions on the properties of an event." });

/** The same in a request: any value, so that everything that is wrong with it can be reported. */
export const EventConditionsInput = shownAs(z.custom<unknown>(), EventConditions);

/** An expression in a response, always in its canonical form. */
export const Expression = z
  .object({
    version: z.literal(1).describe("Version of the language."),
    root: mention(Node, "The condition that decides."),
  })
  .meta({
    id: "AudienceExpression",
    description: `At most ${MAX_NODES} nodes (conditions of \`where\` included), ${MAX_DEPTH} deep.`,
  });

/** An expression in a request: any value, so that `parseExpression` can report everything that is wrong with it. */
export const ExpressionInput = shownAs(
  z.custom<unknown>((value) => value !== undefined, "is required"),
  Expression,
);

const reason = text(500, 0);
const Everyone = z.strictObject({
  kind: z.literal("all").describe("Whether everyone is meant, an expression or a segment."),
  reason: reason.optional().describe("Why, for people who read it later."),
});

/** An audience in a request. Null means all users; a segment without a version is pinned to its current one. */
export const AudienceInput = z
  .discriminatedUnion("kind", [
    Everyone,
    z.strictObject({
      kind: z.literal("expression").describe("Whether everyone is meant, an expression or a segment."),
      expression: ExpressionInput.describe("Who is meant: a tree of conditions."),
      reason: reason.optional().describe("Why, for people who read it later."),
    }),
    z.strictObject({
      kind: z.literal("segment").describe("Whether everyone is meant, an expression or a segment."),
      segment: text(128).describe("Id or key."),
      version: z
        .int()
        .min(1)
        .max(1_000_000)
        .optional()
        .describe("Version of the segment; its current one where it is left out."),
    }),
  ])
  .nullable();

const id = z.string().max(128);
const described = {
  schemaVersion: z.int().min(1).max(1).describe("Version of the language."),
  expression: Expression.describe("Who is meant: a tree of conditions."),
  expressionHash: z
    .string()
    .max(64)
    .describe("SHA-256 of the expression in its canonical form: the same for the same meaning."),
  summary: z.string().max(100_000).describe("The expression in words."),
  reason: z.string().max(500).nullable().describe("Why, for people who read it later."),
};

/** An audience in a response. `invalid` is a stored one that cannot be read: it delivers to no user. */
export const Audience = z
  .union([
    z.object({
      kind: z
        .literal("all")
        .describe(
          "Whether everyone is meant, an expression or a segment; `invalid` is one that cannot be read.",
        ),
      reason: z.string().max(500).optional().describe("Why, for people who read it later."),
    }),
    z.object({
      kind: z
        .literal("expression")
        .describe(
          "Whether everyone is meant, an expression or a segment; `invalid` is one that cannot be read.",
        ),
      audienceVersionId: id.nullable().describe("Id of this version of an audience, which never changes."),
      ...described,
      legacy: z.boolean().describe("Whether it came in the form of `targeting`."),
    }),
    z.object({
      kind: z
        .literal("segment")
        .describe(
          "Whether everyone is meant, an expression or a segment; `invalid` is one that cannot be read.",
        ),
      audienceVersionId: id.describe("Id of this version of an audience, which never changes."),
      segmentId: id.describe("Id of the segment."),
      segmentKey: z.string().max(64).nullable().describe("Key of the segment; null where it is gone."),
      segmentVersion: z.int().min(1).max(1_000_000).describe("The version of the segment that is pinned."),
      ...described,
    }),
    z.object({
      kind: z
        .literal("invalid")
        .describe(
          "Whether everyone is meant, an expression or a segment; `invalid` is one that cannot be read.",
        ),
      audienceVersionId: id.nullable().describe("Id of this version of an audience, which never changes."),
    }),
  ])
  .meta({ id: "CampaignAudience" });
export type Audience = z.infer<typeof Audience>;
