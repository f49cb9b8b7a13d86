import { z } from "zod";
import { answerIds, eventName, example } from "../../../domain/fields.ts";
import { epochMs, mention, patch, pathId, text } from "../../../platform/http/contract/fields.ts";
import { zoneNamed } from "../../../platform/time/zone.ts";
import {
  Audience,
  AudienceInput,
  EventConditions,
  EventConditionsInput,
  MAX_KEY_LENGTH,
  type StoredAudience,
  type WhereNode,
} from "../../audience/language/schema.ts";
import {
  Channel,
  CreateCampaignBody,
  SendTime,
  StoredStatus,
  variantName,
  variantWeight,
} from "../../campaigns/authoring/schema.ts";
import type { SendTime as HourOfDay } from "../../campaigns/authoring/timing.pure.ts";

/** The most steps of a journey. */
export const MAX_STEPS = 30;
/** The most events by which users leave a journey. */
export const MAX_EXITS = 5;
/** The least and the most arms of a split. */
export const MIN_ARMS = 2;
export const MAX_ARMS = 4;
/** The most journeys of a project that run or are paused. */
export const MAX_RUNNING = 50;
/** The longest that users wait at one step, in milliseconds: 365 days. */
export const MAX_WAIT_MS = 365 * 86_400_000;

/** Units of a wait, in milliseconds. */
export const WAIT_UNITS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
export type Span = { amount: number; unit: keyof typeof WAIT_UNITS };

/**
 * A date of the user's, read from a trait: so many days after it (before it, where negative), at a time of the day. `yearly`: the next time that
 * this day of the year comes.
 */
export type DateWait = {
  trait: string;
  days: number;
  at: string;
  zone: string;
  yearly?: boolean | undefined;
};

/** How long users stay at a wait: so long, until a time of the day, or until a date of theirs. */
export type Wait = { for: Span } | { until: HourOfDay } | { date: DateWait };

/** An event with conditions on its properties, in their canonical form. */
export type EventRule = { event: string; where?: WhereNode[] };

/** How users come into a journey: by an event of theirs, because a program names them, or out of its audience, at all times or at an hour of some days. */
export type Entry =
  | ({ on: "event" } & EventRule)
  | { on: "request" }
  | { on: "audience" }
  | ({ on: "schedule"; monthDays?: number[] | undefined } & HourOfDay);

/** A whole path that some users go, from the step `to` on, which may be `end`. Its name stays, as the arm of those users. */
export type SplitArm = { name: string; weight: number; isControl: boolean; to: string };

/** A step as it is kept. Every `else`, and the `to` of every arm, names a later step, or `end`. */
export type Step =
  | { id: string; kind: "send"; campaignId: string }
  | ({ id: string; kind: "wait"; orEvent?: EventRule } & Wait)
  | { id: string; kind: "if"; audience: StoredAudience; else: string }
  | { id: string; kind: "split"; arms: SplitArm[] }
  | { id: string; kind: "end" };

/** The place after the last step. */
export const END = "end";

/** What a journey is: a list of steps that users walk forwards alone. */
export type Definition = {
  entry: Entry;
  /** Users who may enter; null for everyone. */
  audience: StoredAudience | null;
  /** So many days after they last entered, users who have left may enter again; null for never. */
  again: { afterDays: number } | null;
  exit: { onGoal: boolean; events: EventRule[] };
  steps: Step[];
  /** Where users go on who are at a step that was taken away, by its id: at a step, or at the end. */
  moves?: Readonly<Record<string, string>>;
};

const stepId = z
  .string()
  .max(32)
  .regex(/^[a-z0-9_-]{1,32}$/, "must be 1 to 32 of a to z, 0 to 9, _ and -")
  .meta({
    description: "Its name in the journey, which stays when the journey changes.",
    example: "reminder",
  });

const SpanShape = z
  .object({
    amount: z
      .int()
      .min(1)
      .max(MAX_WAIT_MS / WAIT_UNITS.minutes)
      .describe("How many units."),
    unit: z.enum(["minutes", "hours", "days"]).describe("What is counted; a day is 24 hours."),
  })
  .refine((span) => span.amount * WAIT_UNITS[span.unit] <= MAX_WAIT_MS, "must be at most 365 days");

const DateShape = z.strictObject({
  trait: text(MAX_KEY_LENGTH).describe(
    "The trait that has the date: `2026-12-31`, or an ISO-8601 date-time with an offset.",
  ),
  days: z.int().min(-365).max(365).default(0).describe("Days after the date; before it, where negative."),
  at: SendTime.shape.at,
  zone: SendTime.shape.zone,
  yearly: z
    .boolean()
    .optional()
    .describe("Whether its day of the year counts, as of a birthday: the next one from when users arrived."),
});

/** How a wait may end; one of the first three is given. */
const waitFields = {
  for: SpanShape.optional().describe("How long users stay here, from when they arrived."),
  until: mention(SendTime, "The next time that clocks show this hour; weekdays as for messages.").optional(),
  date: DateShape.optional().describe(
    "Days before or after a date of the user's. One that has passed is over at once; who has none waits for one, for 365 days, and then leaves.",
  ),
};
const WAYS = ["for", "until", "date"] as const;

const elsewhere = z
  .string()
  .max(32)
  .meta({ description: "A later step, or `end`: where everyone else goes on.", example: END });

const CONDITIONS = "Conditions on the event's own properties, all of which must hold.";
const eventRule = {
  event: eventName.describe("Name of the event."),
  where: mention(EventConditionsInput, CONDITIONS).optional(),
};

const kindOfStep = "What happens at it.";
const LETS_IN = "What lets users in.";
/** At which hours of which days. */
const scheduleFields = {
  at: SendTime.shape.at,
  zone: text(64)
    .refine((zone) => zoneNamed(zone) !== null, "must be an IANA zone such as Europe/Berlin")
    .meta({
      description:
        "The zone of the hour. For an hour of each user's own, let them in before it, and have them wait until it.",
      example: "Europe/Berlin",
    }),
  weekdays: SendTime.shape.weekdays,
  monthDays: z
    .array(z.int().min(1).max(28))
    .min(1)
    .max(28)
    .refine((days) => new Set(days).size === days.length, { message: "must not name a day twice" })
    .optional()
    .describe("Days of the month, in the place of `weekdays`; without both, every day."),
};
const EntryInput = z
  .discriminatedUnion("on", [
    z.strictObject({ on: z.literal("event").describe(LETS_IN), ...eventRule }),
    z.strictObject({ on: z.literal("request").describe(LETS_IN) }),
    z.strictObject({ on: z.literal("audience").describe(LETS_IN) }),
    z
      .strictObject({ on: z.literal("schedule").describe(LETS_IN), ...scheduleFields })
      .refine(
        ({ weekdays, monthDays }) => weekdays === undefined || monthDays === undefined,
        "must have weekdays or monthDays, and not both",
      ),
  ])
  .describe(
    "How users enter: when they do something (`event`), when your code names them (`request`), as soon as they are in the `audience` of the journey, or all who are in it at an hour of some days (`schedule`).",
  );

const { message, variants, pages, topicId, sendTime, priority, patienceHours, urgent, push } =
  CreateCampaignBody.shape;
/** What the message of a step says and when it leaves. All of it is left out where the step has its campaign already. */
const messageFields = {
  message,
  variants,
  pages,
  topicId,
  sendTime: sendTime.unwrap().optional(),
  priority: priority.unwrap().optional(),
  patienceHours: patienceHours.unwrap().optional(),
  urgent: urgent.unwrap().optional(),
  push,
};

const SendInput = z.strictObject({
  id: stepId,
  kind: z.literal("send").describe(kindOfStep),
  channel: mention(Channel, "How the message goes; it cannot be changed later."),
  name: text(80).optional().describe("What people call its campaign; the id of the step by itself."),
  ...messageFields,
});

const armFields = {
  name: variantName.describe("Its name, unique in the split, which stays when the journey changes."),
  to: z
    .string()
    .max(32)
    .meta({ description: "A later step, or `end`: where its users go on.", example: "reminder" }),
};
const ARM_WEIGHT = "Its share of users, among the weights of all; 0 retires it.";
const ARM_CONTROL = "Whether the others are compared with it; one arm of a split is.";
const ARMS = "Whole paths, of which each user goes one, drawn by weight when they first enter.";

const StepInput = z.discriminatedUnion("kind", [
  SendInput,
  z
    .strictObject({
      id: stepId,
      kind: z.literal("wait").describe(kindOfStep),
      ...waitFields,
      orEvent: z
        .strictObject(eventRule)
        .optional()
        .describe("An event of the user's by which they go on sooner."),
    })
    .refine((step) => WAYS.filter((way) => step[way] !== undefined).length === 1, {
      message: `must have one of ${WAYS.join(", ")}, and no other`,
    }),
  z.strictObject({
    id: stepId,
    kind: z.literal("if").describe(kindOfStep),
    audience: AudienceInput.describe("Who goes on to the next step."),
    else: elsewhere,
  }),
  z.strictObject({
    id: stepId,
    kind: z.literal("split").describe(kindOfStep),
    arms: z
      .array(
        z.strictObject({
          ...armFields,
          weight: variantWeight.optional().describe(`${ARM_WEIGHT} 1 by itself.`),
          isControl: z.boolean().optional().describe(`${ARM_CONTROL} The first by itself.`),
        }),
      )
      .min(MIN_ARMS)
      .max(MAX_ARMS)
      .describe(`${ARMS} Once the journey was launched their names stay.`),
  }),
  z.strictObject({ id: stepId, kind: z.literal("end").describe(kindOfStep) }),
]);
export type StepInput = z.output<typeof StepInput>;
export type SendInput = z.output<typeof SendInput>;
export type WaitInput = Extract<StepInput, { kind: "wait" }>;
export type SplitInput = Extract<StepInput, { kind: "split" }>;

const Again = z
  .strictObject({ afterDays: z.int().min(0).max(3_650).describe("Days since they last entered.") })
  .nullable()
  .describe("When users who have left may enter once more; null is never.");

const ExitInput = z
  .strictObject({
    onGoal: z.boolean().default(true).describe("Whether the event of the goal ends it for a user."),
    events: z
      .array(z.strictObject(eventRule))
      .max(MAX_EXITS)
      .default([])
      .describe("Events that end it for a user as well."),
  })
  .describe("How users leave before the last step. No message leaves after that.");

export const journeyFields = {
  name: text(80).describe("What people call it."),
  goalId: text(128).nullable().describe("The goal that it is for."),
  entry: EntryInput,
  audience: AudienceInput.describe("Who may enter; null is everyone."),
  again: Again,
  exit: ExitInput,
  steps: z
    .array(StepInput)
    .min(1)
    .max(MAX_STEPS)
    .describe("What users go through, from the first to the last; they never go back."),
};

export const CreateJourneyBody = z.object({
  ...journeyFields,
  goalId: journeyFields.goalId.default(null),
  audience: journeyFields.audience.default(null),
  again: journeyFields.again.default(null),
  exit: journeyFields.exit.default({ onGoal: true, events: [] }),
});
export type CreateJourneyBody = z.output<typeof CreateJourneyBody>;

export const UpdateJourneyBody = patch(journeyFields, {
  expectedVersion: z
    .int()
    .min(1)
    .optional()
    .describe("The `version` that the change is for; where it has another one, 409."),
  moves: z
    .record(stepId, elsewhere)
    .refine((moves) => Object.keys(moves).length <= MAX_STEPS, `must have at most ${MAX_STEPS}`)
    .optional()
    .describe(
      "With `steps` that leave one out at which users are: where these go on, by its id. A step of the new `steps`, or `end`.",
    ),
});
export type UpdateJourneyBody = z.output<typeof UpdateJourneyBody>;

export const journeyInPath = pathId.meta({ description: "Id of the journey.", example: example.journey });

const ShownEvent = {
  event: eventName.describe("Name of the event."),
  where: mention(EventConditions, CONDITIONS).optional(),
};
const ShownStep = z.union([
  z.object({
    id: stepId,
    kind: z.literal("send").describe(kindOfStep),
    channel: Channel.describe("How the message goes."),
    campaignId: answerIds.campaign.describe("Its campaign: message, variants, figures."),
    campaignStatus: StoredStatus.describe(
      "What was last made of its campaign: one that is paused keeps users waiting.",
    ),
  }),
  z.object({
    id: stepId,
    kind: z.literal("wait").describe(kindOfStep),
    ...waitFields,
    orEvent: z.object(ShownEvent).optional().describe("An event of the user's by which they go on sooner."),
  }),
  z.object({
    id: stepId,
    kind: z.literal("if").describe(kindOfStep),
    audience: Audience.describe("Who goes on to the next step."),
    else: elsewhere,
  }),
  z.object({
    id: stepId,
    kind: z.literal("split").describe(kindOfStep),
    arms: z
      .array(
        z.object({
          ...armFields,
          weight: variantWeight.describe(ARM_WEIGHT),
          isControl: z.boolean().describe(ARM_CONTROL),
        }),
      )
      .min(MIN_ARMS)
      .max(MAX_ARMS)
      .describe(ARMS),
  }),
  z.object({ id: stepId, kind: z.literal("end").describe(kindOfStep) }),
]);

export const Journey = z
  .object({
    id: z.string().max(128).meta({ description: "Id of the journey.", example: example.journey }),
    name: z.string().max(80).meta({ description: "What people call it.", example: "Trial" }),
    status: StoredStatus.describe("What people last made of it."),
    version: z.int().min(1).describe("Rises with each change of what it is."),
    goalId: answerIds.goal.nullable(),
    entry: z
      .union([
        z.object({ on: z.literal("event").describe(LETS_IN), ...ShownEvent }),
        z.object({ on: z.literal("request").describe(LETS_IN) }),
        z.object({ on: z.literal("audience").describe(LETS_IN) }),
        z.object({ on: z.literal("schedule").describe(LETS_IN), ...scheduleFields }),
      ])
      .describe("How users enter."),
    audience: Audience.nullable().describe("Who may enter; null is everyone."),
    again: Again,
    exit: z
      .object({
        onGoal: z.boolean().describe("Whether the event of the goal ends it for a user."),
        events: z
          .array(z.object(ShownEvent))
          .max(MAX_EXITS)
          .describe("Events that end it for a user as well."),
      })
      .describe("How users leave before the last step."),
    steps: z.array(ShownStep).max(MAX_STEPS).describe("What users go through."),
    createdBy: z.string().max(40).describe("Who made it: `human`, `api` or `agent`."),
    createdAt: epochMs,
    updatedAt: epochMs,
    startedAt: epochMs.nullable().describe("When it was launched first; null for never."),
    endedAt: epochMs.nullable().describe("When it was ended; null while it is not."),
  })
  .meta({ id: "Journey" });
export type Journey = z.infer<typeof Journey>;
