import { z } from "zod";
import { deliveryState } from "../deliveries/schema.ts";
import { nextDeliveries } from "./deliveries-store.ts";
import { DELIVERY_EXTRACT_COLUMNS, type FiledDelivery } from "./delivery-columns.pure.ts";
import { fileLines } from "./lines.pure.ts";
import { type ListReading, list } from "./list.ts";
import { type CampaignPlace, openByCampaign, placeBehind } from "./of-campaigns.ts";
import { afterRow, campaignId, since, until } from "./schema.ts";
import type { Table } from "./table.ts";
import { walk } from "./walk.ts";

type Narrowed = Parameters<typeof openByCampaign>[1];

const open = (reading: ListReading, { state, ...narrowed }: Narrowed & { state?: string | undefined }) =>
  openByCampaign(reading, narrowed, (campaign, queued, from) =>
    nextDeliveries(reading.db, reading.projectId, campaign, { ...queued, state }, from),
  );

/** All deliveries, as they are now. */
export const deliveryTable: Table<FiledDelivery, CampaignPlace> = {
  columns: DELIVERY_EXTRACT_COLUMNS,
  open: (reading) => open(reading, {}),
};

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
  async (reading, { after, ...narrowed }, format) => {
    const start = after === undefined ? null : await placeBehind(reading, after);
    return fileLines(format, DELIVERY_EXTRACT_COLUMNS, walk(await open(reading, narrowed), start));
  },
);
