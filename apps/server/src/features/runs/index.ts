import type { Feature } from "../../domain/feature.ts";
import { countBreaksAcrossProjects, countBrokenTranscriptsAcrossProjects } from "./chain/verify.ts";
import { verifyAgentRuns } from "./chain/verify-agent-runs.ts";
import { verifyCommand } from "./commands/agent.ts";
import { createAgentRun } from "./create-agent-run.ts";
import { getAgentRun } from "./get-agent-run.ts";
import { listAgentRuns } from "./list-agent-runs.ts";
import { tables } from "./tables.pure.ts";
import { getAgentRunTranscript } from "./transcripts/get-agent-run-transcript.ts";
import { putAgentRunTranscript } from "./transcripts/put-agent-run-transcript.ts";

export const runs: Feature = {
  room: "runs",
  tables,
  endpoints: [
    createAgentRun,
    listAgentRuns,
    putAgentRunTranscript,
    getAgentRunTranscript,
    getAgentRun,
    verifyAgentRuns,
  ],
  commands: [verifyCommand],
  checks: [
    {
      name: "agent runs: each follows the one before it, and the head is the last one",
      invariant: 8,
      compares: "facts",
      countDifferences: countBreaksAcrossProjects,
    },
    {
      name: "transcripts: each is as it was handed in, and the one that its run names",
      invariant: 8,
      compares: "facts",
      countDifferences: countBrokenTranscriptsAcrossProjects,
    },
  ],
  tags: { "Agent runs": "What agents decided, and why." },
};
