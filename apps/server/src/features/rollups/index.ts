import type { Feature } from "../../platform/feature.ts";
import {
  countDeliveryDayDifferencesAcrossProjects,
  countEventDayDifferencesAcrossProjects,
  countEventNameDifferencesAcrossProjects,
  countTraitDifferencesAcrossProjects,
} from "./check-store.ts";
import { foldJob } from "./fold.ts";

export const rollups: Feature = {
  jobs: [foldJob],
  checks: [
    { name: "event names: users and occurrences", countDifferences: countEventNameDifferencesAcrossProjects },
    { name: "events by day", countDifferences: countEventDayDifferencesAcrossProjects },
    { name: "traits: users by type", countDifferences: countTraitDifferencesAcrossProjects },
    { name: "deliveries by day", countDifferences: countDeliveryDayDifferencesAcrossProjects },
  ],
};
