import type { Feature } from "../../platform/feature.ts";
import { createAgentRun } from "./create-agent-run.ts";
import { listAgentRuns } from "./list-agent-runs.ts";

export const runs: Feature = { endpoints: [createAgentRun, listAgentRuns] };
