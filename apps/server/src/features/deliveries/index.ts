import type { Feature } from "../../platform/feature.ts";
import { countIdleFrozenEventsAcrossProjects } from "./erase-store.ts";
import { getCampaignConversions } from "./get-campaign-conversions.ts";
import { listCampaignDeliveries } from "./list-campaign-deliveries.ts";
import { listUserDeliveries } from "./list-user-deliveries.ts";
import { countBrokenDeliveriesAcrossProjects, countStatsDifferencesAcrossProjects } from "./store.ts";

export const deliveries: Feature = {
  endpoints: [listCampaignDeliveries, getCampaignConversions, listUserDeliveries],
  checks: [
    {
      name: "deliveries: campaign counters equal the deliveries",
      countDifferences: countStatsDifferencesAcrossProjects,
    },
    {
      name: "deliveries: no delivery contradicts itself",
      countDifferences: countBrokenDeliveriesAcrossProjects,
    },
    {
      name: "deliveries: frozen events are of erased users who were exposed",
      countDifferences: countIdleFrozenEventsAcrossProjects,
    },
  ],
};
