import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { count, epochMs, text } from "../../../platform/http/contract/fields.ts";
import { verifyProject } from "./verify.ts";

export const RunsVerified = z.object({
  runs: count.describe("Runs in the chain."),
  transcripts: count.describe("Transcripts that were computed again."),
  headSeq: count.describe("Number of the last run; 0 before the first."),
  headHash: text(64, 0).describe("Hash of the last run; empty before the first."),
  firstBreak: z
    .object({
      seq: z.int().nullable().describe("Number of the run; null for one in no chain."),
      runId: text(128).nullable().describe("The run; null where it is about the end of the chain."),
      fault: text(500).describe("What is wrong."),
    })
    .nullable()
    .describe("The first place at which something is broken; null where nothing is."),
  at: epochMs.describe("When it was looked at, epoch milliseconds."),
});

export const verifyAgentRuns = endpoint(
  {
    id: "verifyAgentRuns",
    method: "GET",
    path: "/api/people/chain",
    tag: "Agent runs",
    summary: "Compute the hashes of all runs and transcripts again, and find what is broken",
    keys: [],
    people: "viewer",
    cost: "heavy",
    oneInstant: true,
    result: RunsVerified,
  },
  async ({ db, projectId, now }) => ({ ...(await verifyProject(db, projectId)), at: now }),
);
