import type { Feature } from "../../platform/feature.ts";
import { countUnexplainedAcrossProjects } from "./check-store.ts";

export const settings: Feature = {
  checks: [
    {
      name: "settings: each is what its last change left",
      invariant: 8,
      compares: "facts",
      countDifferences: countUnexplainedAcrossProjects,
    },
  ],
};
