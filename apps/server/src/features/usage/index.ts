import type { Feature } from "../../platform/feature.ts";
import { countActiveDifferencesAcrossProjects, countStrangersAcrossProjects } from "./store.ts";

export const usage: Feature = {
  checks: [
    {
      name: "active users: each counter equals its rows",
      countDifferences: countActiveDifferencesAcrossProjects,
    },
    { name: "active users: each is known, or was erased", countDifferences: countStrangersAcrossProjects },
  ],
};
