import type { Feature } from "../../../domain/feature.ts";
import { catchUpLoop } from "./catch-up.ts";
import {
  countActiveDifferencesAcrossProjects,
  countActiveVisitorsAcrossProjects,
  countStrangersAcrossProjects,
  countStrayCatchUpsAcrossProjects,
  countUncountedAcrossProjects,
} from "./check-store.ts";
import { getUsage } from "./get-usage.ts";
import { billingSettingGroup } from "./settings.pure.ts";
import { tables } from "./tables.pure.ts";

export const usage: Feature = {
  room: "counting/usage",
  tables,
  endpoints: [getUsage],
  settings: [billingSettingGroup],
  loops: [catchUpLoop],
  checks: [
    {
      name: "active users: each counter equals its rows",
      invariant: 2,
      compares: "derived",
      countDifferences: countActiveDifferencesAcrossProjects,
    },
    {
      name: "active users: each is known, or was erased",
      invariant: 4,
      compares: "facts",
      countDifferences: countStrangersAcrossProjects,
    },
    {
      name: "active users: whoever did something or met a message was counted",
      invariant: 4,
      compares: "facts",
      countDifferences: countUncountedAcrossProjects,
    },
    {
      name: "active users: none is a visitor",
      invariant: 4,
      compares: "facts",
      countDifferences: countActiveVisitorsAcrossProjects,
    },
    {
      name: "usage: periods were caught up with after a change that there was",
      invariant: 8,
      compares: "facts",
      countDifferences: countStrayCatchUpsAcrossProjects,
    },
  ],
};
