import { z } from "zod";
import { nextSends } from "./deliveries-store.ts";
import { SEND_COLUMNS } from "./delivery-columns.pure.ts";
import { fileLines } from "./lines.pure.ts";
import { list } from "./list.ts";
import { pagesOfCampaigns } from "./of-campaigns.ts";
import { afterRow, campaignId, since, until } from "./schema.ts";

const SendStatus = z.enum([
  "waiting",
  "sending",
  "accepted",
  "unknown",
  "failed",
  "capped",
  "suppressed",
] as const);

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
  async (reading, { status, ...narrowed }, format) => {
    const { db, projectId } = reading;
    const pages = await pagesOfCampaigns(reading, narrowed, async (campaign, queued, from) =>
      campaign.channel === "email"
        ? nextSends(db, projectId, campaign, { ...queued, status }, from)
        : { rows: [], next: null },
    );
    return fileLines(format, SEND_COLUMNS, pages);
  },
);
