import type { Feature } from "../../platform/feature.ts";
import { countActiveDifferencesAcrossProjects } from "./store.ts";

export const usage: Feature = {
  checks: [
    {
      name: "active users: each counter equals its rows",
      countDifferences: countActiveDifferencesAcrossProjects,
    },
  ],
};
