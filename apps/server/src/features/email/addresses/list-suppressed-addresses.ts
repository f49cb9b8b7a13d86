import { z } from "zod";
import { uuidFor } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { pathId, queryInstant, text } from "../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { pageOfSuppressions } from "./list-store.ts";
import { SuppressedAddress, SuppressedBy } from "./schema.ts";

export const listSuppressedAddresses = endpoint(
  {
    id: "listSuppressedAddresses",
    method: "GET",
    path: "/api/people/email/suppressions",
    tag: "Email",
    summary: "List addresses that get no mail, newest first",
    description:
      "Of campaigns, or no receipts, which are stopped apart: without mail of campaigns an address is in its place by when that ended, otherwise by when receipts did. Filters narrow one another, and a reason is that of either. `q` is part of the address, whatever its case; `since` and `until` include their instant; `campaignId` names the campaign after whose mail the address left.",
    keys: [],
    people: "viewer",
    oneInstant: true,
    cost: "heavy",
    query: z.object({
      q: text(320, 0).optional().describe("Part of the text that is looked for, whatever its case."),
      reason: SuppressedBy.optional(),
      since: queryInstant.optional(),
      until: queryInstant.optional(),
      campaignId: pathId.optional().describe("The campaign that it is about."),
      ...pageQuery(),
    }),
    result: z.object({ addresses: z.array(SuppressedAddress).max(100), ...pageFields }),
  },
  async ({ db, projectId }, { query }) => {
    const { q, reason, since, until, campaignId } = query;
    const filter = {
      q: q === "" ? undefined : q,
      reason,
      since,
      until,
      campaignId: campaignId === undefined ? undefined : uuidFor("cmp", campaignId),
    };
    const { rows, total } = await pageOfSuppressions(db, projectId, filter, pageWindow(query));
    return { addresses: rows, ...pageAnswer(query, total) };
  },
);
