import type { Feature } from "../../../domain/feature.ts";
import { countGapsAcrossProjects, countReportDifferencesAcrossProjects } from "./check-store.ts";
import { recordObservations } from "./record-observations.ts";
import { tables } from "./tables.pure.ts";

export const observations: Feature = {
  room: "ingest/observations",
  tables,
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
