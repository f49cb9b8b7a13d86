import { z } from "zod";
import { nextSends } from "./deliveries-store.ts";
import { type FiledSend, SEND_COLUMNS } from "./delivery-columns.pure.ts";
import { fileLines } from "./lines.pure.ts";
import { type ListReading, list } from "./list.ts";
import { type CampaignPlace, openByCampaign, placeBehind } from "./of-campaigns.ts";
import { afterRow, campaignId, since, until } from "./schema.ts";
import type { Table } from "./table.ts";
import { walk } from "./walk.ts";

const SendStatus = z.enum([
  "waiting",
  "sending",
  "accepted",
  "unknown",
  "failed",
  "capped",
  "suppressed",
  "withdrawn",
] as const);

type Narrowed = Parameters<typeof openByCampaign>[1];

const open = (
  reading: ListReading,
  { status, ...narrowed }: Narrowed & { status?: FiledSend["status"] | undefined },
) =>
  openByCampaign(reading, narrowed, async (campaign, queued, from) =>
    campaign.channel === "email"
      ? nextSends(reading.db, reading.projectId, campaign, { ...queued, status }, from)
      : { rows: [], next: null },
  );

/** All mails of campaigns, as they are now. */
export const sendTable: Table<FiledSend, CampaignPlace> = {
  columns: SEND_COLUMNS,
  open: (reading) => open(reading, {}),
};

export const sends = list(
  {
    name: "sends",
    id: "extractSends",
    audit: "took out a list of mails",
    summary: "Take out the mails of campaigns as a file",
    description:
      "Campaign after campaign, the oldest first: to which address each went, how far it is, and what the mail server answered last. `since` and `until` are of when they were queued, and include their instant.",
    query: z.object({
      since,
      until,
      campaignId,
      status: SendStatus.optional().describe("Only mails that are so far."),
      after: afterRow("the mail"),
    }),
    errors: ["not_found"],
  },
  async (reading, { after, ...narrowed }, format) => {
    const start = after === undefined ? null : await placeBehind(reading, after);
    return fileLines(format, SEND_COLUMNS, walk(await open(reading, narrowed), start));
  },
);
