import type { Feature } from "../../domain/feature.ts";
import { countBreachesWithoutRunAcrossProjects } from "./check-store.ts";
import { clearGuardrails } from "./clear-guardrails.ts";
import { guardrailCommands } from "./commands/guardrails.ts";
import { listBreaches } from "./list-breaches.ts";
import { tables } from "./tables.pure.ts";
import { watchGuardrails } from "./watch.ts";

export const guardrails: Feature = {
  room: "guardrails",
  tables,
  endpoints: [listBreaches, clearGuardrails],
  loops: [watchGuardrails],
  commandGroups: { guardrails: "campaigns that were paused for a limit of their goal" },
  commands: guardrailCommands,
  checks: [
    {
      name: "guardrails: each breach has its run",
      invariant: 8,
      compares: "facts",
      countDifferences: countBreachesWithoutRunAcrossProjects,
    },
  ],
};
