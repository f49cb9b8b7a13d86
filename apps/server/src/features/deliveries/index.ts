import type { Feature } from "../../platform/feature.ts";
import {
  countBrokenDeliveriesAcrossProjects,
  countIdleFrozenEventsAcrossProjects,
  countOrphanDeliveriesAcrossProjects,
  countStatesWithoutInstantAcrossProjects,
  countStatsDifferencesAcrossProjects,
  countStrangeDeliveriesAcrossProjects,
} from "./check-store.ts";
import { getCampaignConversions } from "./get-campaign-conversions.ts";
import { listCampaignDeliveries } from "./list-campaign-deliveries.ts";
import { listUserDeliveries } from "./list-user-deliveries.ts";

export const deliveries: Feature = {
  endpoints: [listCampaignDeliveries, getCampaignConversions, listUserDeliveries],
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
      name: "deliveries: frozen events are of erased users who were exposed",
      invariant: 9,
      compares: "facts",
      countDifferences: countIdleFrozenEventsAcrossProjects,
    },
  ],
};
