import type { Feature } from "../../../domain/feature.ts";
import { replayCommands } from "./commands/replay.ts";
import { runCommands } from "./commands/run.ts";
import { runnerLoop } from "./loop.ts";
import { replayAgentRun } from "./replay-agent-run.ts";

/** Tidings' own agent, which does by the API what any other program could do. */
export const runner: Feature = {
  room: "agent/runner",
  endpoints: [replayAgentRun],
  loops: [runnerLoop],
  commandGroups: { agent: "the agent: run it, replay its decisions, verify its history" },
  commands: [runCommands, replayCommands],
};
