import { z } from "zod";
import { epochMs, jsonObjectOrList, storedObjectOrList, text } from "../../platform/http/fields.ts";

const MAX_JSON_BYTES = 16_384;

const id = z.string().max(128);
const stored = storedObjectOrList(MAX_JSON_BYTES).nullable();

/** One decision of an agent: what it saw, what it did, and why. */
export const AgentRun = z
  .object({
    id,
    kind: z.string().max(64),
    goalId: id.nullable(),
    campaignId: id.nullable(),
    input: stored,
    output: stored,
    rationale: z.string().max(4_000).nullable(),
    createdAt: epochMs,
  })
  .meta({ id: "AgentRun" });
export type AgentRun = z.infer<typeof AgentRun>;

/** The names of goals and campaigns of some runs, by id. */
export const RunReferences = z
  .object({
    goals: z.record(id, z.string().max(80)).describe("Goal id to name."),
    campaigns: z.record(id, z.string().max(80)).describe("Campaign id to name."),
  })
  .meta({ id: "RunReferences" });
export type RunReferences = z.infer<typeof RunReferences>;

const free = jsonObjectOrList(MAX_JSON_BYTES).nullable().optional();
const optionalText = text(128).nullable().optional();

export const CreateAgentRunBody = z.object({
  kind: text(64).describe(
    "For example observation, proposal, launch, evaluation, conclusion. `evaluate`, `propose`, `mutate` and `approval` need a `campaignId`.",
  ),
  input: free,
  output: free,
  rationale: text(4_000, 0).nullable().optional(),
  goalId: optionalText,
  campaignId: optionalText,
  idempotencyKey: optionalText,
});
