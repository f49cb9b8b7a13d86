import type { Feature } from "../../platform/feature.ts";
import { countBreachesWithoutRunAcrossProjects } from "./check-store.ts";
import { guardrailCommands } from "./commands/guardrails.ts";
import { watchGuardrails } from "./watch.ts";

export const guardrails: Feature = {
  loops: [watchGuardrails],
  commands: [guardrailCommands],
  checks: [
    {
      name: "guardrails: each breach has its run",
      invariant: 8,
      compares: "facts",
      countDifferences: countBreachesWithoutRunAcrossProjects,
    },
  ],
};
