import { z } from "zod";
import { deliveryState } from "../deliveries/schema.ts";
import { nextDeliveries } from "./deliveries-store.ts";
import { DELIVERY_EXTRACT_COLUMNS } from "./delivery-columns.pure.ts";
import { fileLines } from "./lines.pure.ts";
import { list } from "./list.ts";
import { pagesOfCampaigns } from "./of-campaigns.ts";
import { afterRow, campaignId, since, until } from "./schema.ts";

export const deliveryExtract = list(
  {
    name: "deliveries",
    id: "extractDeliveries",
    audit: "took out a list of deliveries",
    summary: "Take out the deliveries of campaigns as a file",
    description:
      "Campaign after campaign, the oldest deliveries first. `since` and `until` are of when they were queued, and include their instant.",
    query: z.object({
      since,
      until,
      campaignId,
      state: deliveryState.optional().describe("Only deliveries in this state."),
      after: afterRow("the delivery"),
    }),
    errors: ["not_found"],
  },
  async (reading, { state, ...narrowed }, format) => {
    const { db, projectId } = reading;
    const pages = await pagesOfCampaigns(reading, narrowed, (campaign, queued, from) =>
      nextDeliveries(db, projectId, campaign, { ...queued, state }, from),
    );
    return fileLines(format, DELIVERY_EXTRACT_COLUMNS, pages);
  },
);
