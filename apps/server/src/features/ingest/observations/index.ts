import type { Feature } from "../../../platform/feature.ts";
import { countGapsAcrossProjects, countReportDifferencesAcrossProjects } from "./check-store.ts";
import { recordObservations } from "./record-observations.ts";

export const observations: Feature = {
  endpoints: [recordObservations],
  checks: [
    {
      name: "push: deliveries and devices say what was reported, and conversions come after a tap or an action",
      invariant: 6,
      compares: "facts",
      countDifferences: countReportDifferencesAcrossProjects,
    },
    {
      name: "push: of what a device reported nothing is missing",
      invariant: 6,
      compares: "facts",
      countDifferences: countGapsAcrossProjects,
    },
  ],
};
