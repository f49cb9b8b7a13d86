import { z } from "zod";
import { asSent, text } from "../../../platform/http/contract/fields.ts";
import { MessageInput } from "../../campaigns/authoring/schema.ts";
import { journeyFields, movesField } from "../../journeys/authoring/schema.ts";
import type { StepInput } from "../../journeys/authoring/steps.pure.ts";

/** JSON can say numbers that are read as infinite, and then cannot be written, nor hashed. */
const isWritable = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isFinite(value)
    : typeof value !== "object" || value === null || Object.values(value).every(isWritable);

const VariantMutation = z
  .strictObject({
    id: text(128).describe("A variant that the campaign has."),
    name: text(40).optional().describe("Its name, unique in the campaign; A, B, C by itself."),
    message: MessageInput.optional().describe("What it says, in the shape of the campaign's channel."),
    weight: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe("Its share of users, among the weights of all; 0 retires it."),
  })
  .refine(
    ({ id: _, ...changes }) => Object.values(changes).some((value) => value !== undefined),
    "must change something beside naming an id",
  )
  .refine(({ message }) => isWritable(message), {
    message: "must not have numbers that are too large",
    path: ["message"],
  });

const StatusMutation = z.strictObject({
  type: z.literal("status").describe("Its status changes."),
  action: z.enum(["launch", "pause", "end"]).describe("What to do with it."),
});

const UpdateMutation = z
  .strictObject({
    type: z.literal("update").describe("What it says, or to whom it goes in which shares, changes."),
    name: text(80).optional().describe("What people call it."),
    variants: z
      .array(VariantMutation)
      .min(1)
      .max(20)
      .refine((variants) => new Set(variants.map((each) => each.id)).size === variants.length, {
        message: "must not name a variant twice",
      })
      .optional()
      .describe("The variants."),
  })
  .refine(
    ({ name, variants }) => name !== undefined || variants !== undefined,
    "must change the name or variants",
  );

/** What agents cannot propose, although people can do it: a message that passes quiet hours, and a segment that may be another one by the time it is approved. */
function stepsFault(steps: readonly StepInput[]): { path: (string | number)[]; message: string } | null {
  for (const [index, step] of steps.entries()) {
    if (step.kind === "send" && step.urgent !== undefined)
      return { path: [index, "urgent"], message: "is for people to decide: leave it out" };
    if (step.kind === "if" && step.audience?.kind === "segment" && step.audience.version === undefined)
      return {
        path: [index, "audience", "version"],
        message: "is required: people approve what the segment is at one version",
      };
  }
  return null;
}

const JourneyMutation = z.strictObject({
  type: z.literal("journey").describe("The steps of the journey change whose step the campaign is."),
  expectedVersion: z.int().min(1).describe("The `version` of the journey that the change is for."),
  steps: asSent(journeyFields.steps)
    .superRefine((steps, ctx) => {
      const fault = stepsFault(steps);
      if (fault !== null) ctx.addIssue({ code: "custom", ...fault });
    })
    .describe(
      "All steps as they would be. One that keeps its id keeps its message, of which nothing is given but the channel. `urgent` is for people alone, and a segment is named with its version.",
    ),
  moves: movesField.optional(),
});

/** A change of a campaign that an agent may make under a lease. Nothing is added to it, so that its hash is that of what was sent. */
export const HostedMutation = z
  .discriminatedUnion(
    "type",
    [StatusMutation, UpdateMutation, JourneyMutation],
    "must be one of status, update, journey",
  )
  .meta({
    id: "HostedMutation",
    description:
      "Launch, pause, end, change of the name, texts and weights, or of the steps of the journey that the campaign is a step of.",
  });
export type HostedMutation = z.infer<typeof HostedMutation>;
export type JourneyMutation = z.infer<typeof JourneyMutation>;
