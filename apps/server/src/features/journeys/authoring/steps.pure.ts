import { z } from "zod";
import { answerIds, eventName } from "../../../domain/fields.ts";
import { mention, text } from "../../../platform/http/contract/fields.ts";
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
  CampaignDetail,
  Channel,
  CreateCampaignBody,
  SendTime,
  StoredStatus,
  Variant,
  variantName,
  variantWeight,
} from "../../campaigns/authoring/schema.ts";
import type { SendTime as HourOfDay } from "../../campaigns/authoring/timing.pure.ts";

/** The most steps of a journey. */
export const MAX_STEPS = 30;

/** The least and the most arms of a split. */
export const MIN_ARMS = 2;
export const MAX_ARMS = 4;
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

export const stepId = z
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

const days = z.int().min(-365).max(365);
const DAYS = "Days after the date, or before it, where negative";
const DateShape = z.strictObject({
  trait: text(MAX_KEY_LENGTH).describe(
    "The trait that has the date: `2026-12-31`, or an ISO-8601 date-time with an offset.",
  ),
  days: days.optional().describe(`${DAYS}; 0 by itself.`),
  at: SendTime.shape.at,
  zone: SendTime.shape.zone,
  yearly: z
    .boolean()
    .optional()
    .describe("Whether its day of the year counts, as of a birthday: the next one from when users arrived."),
});

/** The same in an answer. */
const ShownDate = DateShape.extend({ days: days.describe(`${DAYS}.`) });

const DATE =
  "Days before or after a date of the user's. One that has passed is over at once; who has none waits for one, for 365 days, and then leaves.";
/** How a wait may end; one of the first three is given. */
const waitFields = {
  for: SpanShape.optional().describe("How long users stay here, from when they arrived."),
  until: mention(SendTime, "The next time that clocks show this hour; weekdays as for messages.").optional(),
  date: DateShape.optional().describe(DATE),
};
const WAYS = ["for", "until", "date"] as const;

export const elsewhere = z
  .string()
  .max(32)
  .meta({ description: "A later step, or `end`: where everyone else goes on.", example: END });

const CONDITIONS = "Conditions on the event's own properties, all of which must hold.";
export const eventRule = {
  event: eventName.describe("Name of the event."),
  where: mention(EventConditionsInput, CONDITIONS).optional(),
};

const kindOfStep = "What happens at it.";

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

export const StepInput = z.discriminatedUnion("kind", [
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

export const ShownEvent = {
  event: eventName.describe("Name of the event."),
  where: mention(EventConditions, CONDITIONS).optional(),
};
const ShownSend = z.object({
  id: stepId,
  kind: z.literal("send").describe(kindOfStep),
  channel: Channel.describe("How the message goes."),
  name: text(80).describe("What people call its campaign."),
  campaignId: answerIds.campaign.describe("Its campaign: message, variants, figures."),
  campaignStatus: StoredStatus.describe(
    "What was last made of its campaign: one that is paused keeps users waiting.",
  ),
});
const shownOthers = [
  z.object({
    id: stepId,
    kind: z.literal("wait").describe(kindOfStep),
    ...waitFields,
    date: ShownDate.optional().describe(DATE),
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
] as const;

/** A step as the API shows it. */
export const ShownStep = z.union([ShownSend, ...shownOthers]);

/** A message that a change would add, with all that its step says of it. */
const AddedMessage = CampaignDetail.pick({
  topicId: true,
  pages: true,
  push: true,
  sendTime: true,
  priority: true,
  patienceHours: true,
}).extend({
  variants: z
    .array(Variant.pick({ name: true, weight: true, isControl: true, content: true }))
    .max(20)
    .describe("What it says."),
});

/** A step as a change would leave it. */
export const ChangedStep = z.union([
  ShownSend.omit({ campaignId: true, campaignStatus: true }).extend({
    campaignId: ShownSend.shape.campaignId.nullable().describe("Its campaign; null for one that is added."),
    added: AddedMessage.nullable().describe("The message, where it is added; null where the step has one."),
  }),
  ...shownOthers,
]);
export type ChangedStep = z.infer<typeof ChangedStep>;
