import type { Feature } from "../../../domain/feature.ts";
import { countMispricedAcrossProjects, countUnbilledAcrossProjects } from "./check-store.ts";
import { recordAgentUsage } from "./record-agent-usage.ts";
import { creditSettingGroup } from "./settings.pure.ts";
import { tables } from "./tables.pure.ts";

export const credits: Feature = {
  room: "agent/credits",
  tables,
  endpoints: [recordAgentUsage],
  settings: [creditSettingGroup],
  checks: [
    {
      name: "credits: what usage cost follows from its calls and prices",
      invariant: 8,
      compares: "facts",
      countDifferences: countMispricedAcrossProjects,
    },
    {
      name: "credits: each usage has its billing report",
      invariant: 8,
      compares: "facts",
      countDifferences: countUnbilledAcrossProjects,
    },
  ],
};
