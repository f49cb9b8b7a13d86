import type { Feature } from "../../domain/feature.ts";
import {
  countBrokenDeliveriesAcrossProjects,
  countIdleFrozenEventsAcrossProjects,
  countOrphanDeliveriesAcrossProjects,
  countStatesWithoutInstantAcrossProjects,
  countStatsDifferencesAcrossProjects,
  countStrangeDeliveriesAcrossProjects,
  countStrangeWithheldAcrossProjects,
  countUnweightedDeliveriesAcrossProjects,
} from "./check-store.ts";
import { listCampaignDeliveries } from "./list-campaign-deliveries.ts";
import { listUserDeliveries } from "./list-user-deliveries.ts";
import { listUserWithheld } from "./list-user-withheld.ts";
import { getCampaignConversions } from "./results/get-campaign-conversions.ts";
import { getCampaignPlan } from "./results/get-campaign-plan.ts";
import { getGoalConversions } from "./results/get-goal-conversions.ts";
import { listCampaignResults } from "./results/list-campaign-results.ts";
import { tables } from "./tables.pure.ts";

export const deliveries: Feature = {
  room: "deliveries",
  tables,
  endpoints: [
    listCampaignDeliveries,
    listCampaignResults,
    getCampaignConversions,
    getCampaignPlan,
    getGoalConversions,
    listUserDeliveries,
    listUserWithheld,
  ],
  checks: [
    {
      name: "deliveries: campaign counters equal the deliveries",
      invariant: 2,
      compares: "derived",
      countDifferences: countStatsDifferencesAcrossProjects,
    },
    {
      name: "deliveries: no delivery contradicts itself",
      invariant: 3,
      compares: "facts",
      countDifferences: countBrokenDeliveriesAcrossProjects,
    },
    {
      name: "deliveries: each state has its instant",
      invariant: 3,
      compares: "facts",
      countDifferences: countStatesWithoutInstantAcrossProjects,
    },
    {
      name: "deliveries: each has its user, or somebody who was erased",
      invariant: 4,
      compares: "facts",
      countDifferences: countOrphanDeliveriesAcrossProjects,
    },
    {
      name: "deliveries: each has its campaign and variant",
      invariant: 4,
      compares: "facts",
      countDifferences: countStrangeDeliveriesAcrossProjects,
    },
    {
      name: "deliveries: each is of a variant that had weight when it was decided",
      invariant: 4,
      compares: "facts",
      countDifferences: countUnweightedDeliveriesAcrossProjects,
    },
    {
      name: "withheld deliveries: each has its user and a holdout, and no delivery beside it",
      invariant: 4,
      compares: "facts",
      countDifferences: countStrangeWithheldAcrossProjects,
    },
    {
      name: "deliveries: frozen events are of erased users whom a campaign had chosen",
      invariant: 9,
      compares: "facts",
      countDifferences: countIdleFrozenEventsAcrossProjects,
    },
  ],
};
