import type { Feature } from "../../../domain/feature.ts";
import { deltaLoop } from "./apply-deltas.ts";
import {
  countDeliveryDayDifferencesAcrossProjects,
  countEventDayDifferencesAcrossProjects,
  countEventNameDifferencesAcrossProjects,
  countEventNamesLeftBehindAcrossProjects,
  countEventPropertyDifferencesAcrossProjects,
  countFaultyDeltasAcrossProjects,
  countTraitDifferencesAcrossProjects,
  countTraitValueDifferencesAcrossProjects,
  countUserCountDifferencesAcrossProjects,
} from "./check-store.ts";
import { tables } from "./tables.pure.ts";

export const rollups: Feature = {
  room: "counting/rollups",
  tables,
  loops: [deltaLoop],
  checks: [
    {
      name: "deltas: each can be added to the rollups",
      invariant: 2,
      compares: "facts",
      countDifferences: countFaultyDeltasAcrossProjects,
    },
    {
      name: "event names: users and occurrences",
      invariant: 2,
      compares: "derived",
      countDifferences: countEventNameDifferencesAcrossProjects,
    },
    {
      name: "event names: when each happened last",
      invariant: 2,
      compares: "derived",
      countDifferences: countEventNamesLeftBehindAcrossProjects,
    },
    {
      name: "events by day",
      invariant: 2,
      compares: "derived",
      countDifferences: countEventDayDifferencesAcrossProjects,
    },
    {
      name: "event properties: occurrences by type",
      invariant: 2,
      compares: "derived",
      countDifferences: countEventPropertyDifferencesAcrossProjects,
    },
    {
      name: "traits: users by type",
      invariant: 2,
      compares: "derived",
      countDifferences: countTraitDifferencesAcrossProjects,
    },
    {
      name: "traits: users by value",
      invariant: 2,
      compares: "derived",
      countDifferences: countTraitValueDifferencesAcrossProjects,
    },
    {
      name: "users: how many there are",
      invariant: 2,
      compares: "derived",
      countDifferences: countUserCountDifferencesAcrossProjects,
    },
    {
      name: "deliveries by day",
      invariant: 2,
      compares: "derived",
      countDifferences: countDeliveryDayDifferencesAcrossProjects,
    },
  ],
};
