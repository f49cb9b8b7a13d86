import type { Feature } from "../../platform/feature.ts";
import { countStrayLanesAcrossProjects } from "./check-store.ts";

/** What is checked of every table. */
export const tables: Feature = {
  checks: [
    {
      name: "rows: each lies in the lane of its key",
      invariant: 1,
      compares: "facts",
      countDifferences: countStrayLanesAcrossProjects,
    },
  ],
};
