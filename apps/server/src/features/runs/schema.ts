import { z } from "zod";
import { answerIds, example } from "../../domain/fields.ts";
import { epochMs, jsonObjectOrList, storedObjectOrList, text } from "../../platform/http/contract/fields.ts";

const MAX_JSON_BYTES = 16_384;

const id = z.string().max(128);
const stored = storedObjectOrList(MAX_JSON_BYTES).nullable();

const digest = z.string().max(64);

/** The place of a run in the chain of its project's runs. */
const RunLink = z
  .object({
    seq: z.int().min(1).describe("Its number among the project's runs, without gaps."),
    hash: digest.describe("SHA-256 of `prevHash` and the run's canonical JSON, in hex."),
    prevHash: digest.describe("The hash of the run before it; empty for the first one."),
  })
  .meta({ id: "RunLink" });

/** The writers of runs that the API knows; a run from before does not name one. */
export const RunWriter = z.enum(["tidings", "api", "agent", "import"]);
export type RunWriter = z.infer<typeof RunWriter>;

/** One decision of an agent: what it saw, what it did, and why. */
export const AgentRun = z
  .object({
    id: id.meta({ description: "Id of the run.", example: example.run }),
    kind: z.string().max(64).meta({ description: "What kind of decision it was.", example: "evaluation" }),
    goalId: answerIds.goal.nullable(),
    campaignId: answerIds.campaign.nullable(),
    input: stored.meta({
      description: "What the decision was made from.",
      example: { shown: 120, converted: 9 },
    }),
    output: stored.meta({ description: "What came of it.", example: { action: "keep" } }),
    rationale: z
      .string()
      .max(4_000)
      .nullable()
      .meta({ description: "Why, in words.", example: "Converts better than before." }),
    createdAt: epochMs,
    writtenBy: RunWriter.nullable().describe(
      "Who wrote it. `tidings`: the server, or a person at it; `api`: a program with the secret key; `agent`: one with an agent key; `import`: it came with a file. Null for runs from before this was recorded.",
    ),
    chain: RunLink.nullable().describe("Null for runs from before there was a chain, and for imported ones."),
  })
  .meta({ id: "AgentRun" });
export type AgentRun = z.infer<typeof AgentRun>;

/** The names of goals and campaigns of some runs, and of the variants that their reasons name, by id. */
export const RunReferences = z
  .object({
    goals: z.record(id, z.string().max(80)).describe("Goal id to name."),
    campaigns: z.record(id, z.string().max(80)).describe("Campaign id to name."),
    variants: z
      .record(id, z.string().max(40))
      .optional()
      .describe(
        "Variant id to name, of those that a `rationale` names, and for a single run of all that its campaign has; left out where there is none.",
      ),
  })
  .meta({ id: "RunReferences" });
export type RunReferences = z.infer<typeof RunReferences>;

const free = jsonObjectOrList(MAX_JSON_BYTES).nullable().optional();
const optionalText = text(128).nullable().optional();

export const CreateAgentRunBody = z.object({
  kind: text(64).describe(
    "For example observation, proposal, launch, evaluation, conclusion. `evaluate`, `propose`, `mutate` and `approval` need a `campaignId`. `guardrail`, `warning` and `source` are Tidings' own.",
  ),
  input: free.describe("What the decision was made from."),
  output: free.describe("What came of it."),
  rationale: text(4_000, 0).nullable().optional().describe("Why, in words."),
  goalId: optionalText.describe("The goal that it is for."),
  campaignId: optionalText.describe("The campaign that it is about."),
  idempotencyKey: optionalText.describe(
    "Unique in the project: a repeat with it makes nothing, and is answered the original.",
  ),
});

const exchanged = z.record(z.string(), z.unknown());

const TranscriptEntry = z
  .object({
    request: exchanged.meta({ description: "What the model was asked.", example: { model: "small-1" } }),
    response: exchanged.meta({ description: "What it answered.", example: { content: "Keep it." } }),
    hash: text(64)
      .refine((value) => /^[0-9a-f]{64}$/.test(value), "must be 64 hexadecimal digits, in lower case")
      .meta({ pattern: "^[0-9a-f]{64}$" })
      .meta({
        description: "SHA-256 of the hash before it and the canonical JSON of request and response, in hex.",
        example: example.hash,
      }),
  })
  .meta({ id: "TranscriptEntry" });
export type TranscriptEntry = z.infer<typeof TranscriptEntry>;

const entries = z.array(TranscriptEntry).min(1).max(500);

export const PutTranscriptBody = z.object({
  entries: entries.describe("All exchanges with the model, in their order."),
});

const transcriptFields = {
  runId: id.meta({ description: "The run that it belongs to.", example: example.run }),
  hash: digest.describe("The hash of the last entry, which speaks for all of them."),
  createdAt: epochMs,
};

/** What is answered to who hands in a transcript. */
export const TranscriptReceipt = z
  .object({ ...transcriptFields, entryCount: z.int().min(1).max(500).describe("How many entries it has.") })
  .meta({ id: "TranscriptReceipt" });

/** What a model was asked and answered for a run. */
export const Transcript = z
  .object({ ...transcriptFields, entries: entries.describe("All exchanges with the model, in their order.") })
  .meta({ id: "Transcript" });
