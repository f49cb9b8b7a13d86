import type { Feature } from "../../platform/feature.ts";
import {
  countDeliveryDayDifferencesAcrossProjects,
  countEventDayDifferencesAcrossProjects,
  countEventNameDifferencesAcrossProjects,
  countEventPropertyDifferencesAcrossProjects,
  countTraitDifferencesAcrossProjects,
  countTraitValueDifferencesAcrossProjects,
} from "./check-store.ts";
import { foldJob } from "./fold.ts";

export const rollups: Feature = {
  jobs: [foldJob],
  checks: [
    { name: "event names: users and occurrences", countDifferences: countEventNameDifferencesAcrossProjects },
    { name: "events by day", countDifferences: countEventDayDifferencesAcrossProjects },
    {
      name: "event properties: occurrences by type",
      countDifferences: countEventPropertyDifferencesAcrossProjects,
    },
    { name: "traits: users by type", countDifferences: countTraitDifferencesAcrossProjects },
    { name: "traits: users by value", countDifferences: countTraitValueDifferencesAcrossProjects },
    { name: "deliveries by day", countDifferences: countDeliveryDayDifferencesAcrossProjects },
  ],
};
