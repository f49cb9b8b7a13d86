import { z } from "zod";
import { answerIds, example } from "../../../domain/fields.ts";
import { epochMs, patch, pathId, text } from "../../../platform/http/contract/fields.ts";
import { zoneNamed } from "../../../platform/time/zone.ts";
import { Audience, AudienceInput, type StoredAudience } from "../../audience/language/schema.ts";
import { SendTime, StoredStatus } from "../../campaigns/authoring/schema.ts";
import type { SendTime as HourOfDay } from "../../campaigns/authoring/timing.pure.ts";
import {
  type EventRule,
  elsewhere,
  eventRule,
  MAX_STEPS,
  ShownEvent,
  ShownStep,
  type Step,
  StepInput,
  stepId,
} from "./steps.pure.ts";

/** The most events by which users leave a journey. */
export const MAX_EXITS = 5;
/** The most journeys of a project that run or are paused. */
export const MAX_RUNNING = 50;

/** How users come into a journey: by an event of theirs, because a program names them, or out of its audience, at all times or at an hour of some days. */
export type Entry =
  | ({ on: "event" } & EventRule)
  | { on: "request" }
  | { on: "audience" }
  | ({ on: "schedule"; monthDays?: number[] | undefined } & HourOfDay);

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

export const movesField = z
  .record(stepId, elsewhere)
  .refine((moves) => Object.keys(moves).length <= MAX_STEPS, `must have at most ${MAX_STEPS}`)
  .describe(
    "With `steps` that leave one out at which users are: where these go on, by its id. A step of the new `steps`, or `end`.",
  );

export const UpdateJourneyBody = patch(journeyFields, {
  expectedVersion: z
    .int()
    .min(1)
    .optional()
    .describe("The `version` that the change is for; where it has another one, 409."),
  moves: movesField.optional(),
});
export type UpdateJourneyBody = z.output<typeof UpdateJourneyBody>;

export const journeyInPath = pathId.meta({ description: "Id of the journey.", example: example.journey });

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
