import type { Feature } from "../../platform/feature.ts";
import { agentCommands } from "./commands/agent.ts";
import { createAgentRun } from "./create-agent-run.ts";
import { listAgentRuns } from "./list-agent-runs.ts";
import { countBreaksAcrossProjects } from "./verify.ts";

export const runs: Feature = {
  endpoints: [createAgentRun, listAgentRuns],
  commands: [agentCommands],
  checks: [
    {
      name: "agent runs: each follows the one before it, and the head is the last one",
      invariant: 8,
      compares: "facts",
      countDifferences: countBreaksAcrossProjects,
    },
  ],
};
