import { z } from "zod";
import { eventName, example } from "../../../domain/fields.ts";
import { epochMs, jsonObjectAs, text } from "../../../platform/http/contract/fields.ts";
import { GUARDRAILS, guardrailsFault } from "./guardrails.pure.ts";

export const GoalStatus = z.enum(["active", "archived"]);
export const ApprovalMode = z.enum(["require_human", "auto"]);

const MAX_GUARDRAILS_BYTES = 4_096;

/** An object of limits, as JSON: those that mean something are checked, others are kept as they are. */
const guardrails = jsonObjectAs(MAX_GUARDRAILS_BYTES, (json, value) => ({ json, value }))
  .transform(({ json, value }, ctx): string => {
    const fault = guardrailsFault(value);
    if (fault === null) return json;
    ctx.issues.push({ code: "custom", message: fault.message, input: value, path: [fault.guardrail] });
    return z.NEVER;
  })
  .meta({
    type: "object",
    additionalProperties: true,
    description: `Limits of the goal's campaigns: ${GUARDRAILS.join(", ")} and minimumLift, which are enforced, and any others, which are kept. At most ${MAX_GUARDRAILS_BYTES} bytes as compact JSON.`,
  });

/** The fields of a goal that a request may set. */
export const goalFields = {
  name: text(80).describe("What people call it."),
  description: text(1_000, 0).nullable().describe("What else there is to say of it."),
  targetEvent: eventName.nullable().describe("The event that means success."),
  guardrails: guardrails.nullable().describe("Limits to be kept, free in form."),
  approvalMode: ApprovalMode.describe("Whether a person has to approve what an agent does for it."),
  attributionDays: z
    .int()
    .min(1)
    .max(90)
    .describe("How many days after its exposure a user's conversion counts in statistics."),
  holdoutPercent: z
    .int()
    .min(0)
    .max(50)
    .describe(
      "How many per cent of the users get no message of this goal's campaigns, so that one can see what the messages do together.",
    ),
};

/** What the column can count to. */
export const MAX_REVISION = 2_147_483_647;

/** Its number of now, or the one that a change is for. */
const revision = z.int().min(1).max(MAX_REVISION);

/** The revision that a change is for. */
export const expectedRevision = revision
  .describe("The `revision` of the goal that the change is for; where it has another one, 409.")
  .optional();

/** A business objective: the event that means success, and the limits within which it may be pursued. */
export const Goal = z
  .object({
    id: z.string().max(128).meta({ description: "Id of the goal.", example: example.goal }),
    name: z.string().max(80).meta({ description: "What people call it.", example: "Upgrades" }),
    description: z.string().max(1_000).nullable().describe("What else there is to say of it."),
    targetEvent: z
      .string()
      .max(80)
      .nullable()
      .meta({ description: "The event that means success.", example: "upgraded" }),
    guardrails: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "Limits to be kept, free in form.", example: { maxPerWeek: 2 } }),
    approvalMode: ApprovalMode.describe("Whether a person has to approve what an agent does for it."),
    attributionDays: goalFields.attributionDays,
    holdoutPercent: goalFields.holdoutPercent,
    status: GoalStatus.describe("Its state."),
    revision: revision.meta({
      description: "Raised by each change that changes something; an `expectedRevision` names it.",
      example: 1,
    }),
    createdAt: epochMs,
  })
  .meta({ id: "Goal" });
export type Goal = z.infer<typeof Goal>;
