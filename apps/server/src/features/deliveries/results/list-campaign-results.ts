import { z } from "zod";
import { uuidFor } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs, text } from "../../../platform/http/contract/fields.ts";
import { CampaignResults, MAX_CAMPAIGNS } from "../schema.ts";
import { readResults } from "./results.ts";

const MAX_ID = 128;
const ids = text(MAX_CAMPAIGNS * (MAX_ID + 1))
  .transform((typed) => [...new Set(typed.split(",").map((id) => id.trim()))])
  .refine((each) => each.every((id) => id !== "" && id.length <= MAX_ID), "must be ids with commas between")
  .refine((each) => each.length <= MAX_CAMPAIGNS, `must name at most ${MAX_CAMPAIGNS} campaigns`)
  .describe(`Ids of at most ${MAX_CAMPAIGNS} campaigns, with commas between.`)
  .meta({ type: "string", maxLength: MAX_CAMPAIGNS * (MAX_ID + 1) });

export const listCampaignResults = endpoint(
  {
    id: "listCampaignResults",
    method: "GET",
    path: "/api/v1/campaign-results",
    tag: "Campaigns",
    summary: "What campaigns came to, as people count it",
    description:
      "Unlike `stats`: what came back did not arrive, and conversions have the goal's window. Unknown ids are left out.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    oneInstant: true,
    cost: "heavy",
    query: z.object({ campaignIds: ids }),
    result: z.object({
      results: z.array(CampaignResults).max(MAX_CAMPAIGNS).describe("One for each campaign."),
      evaluatedAt: epochMs,
    }),
  },
  async ({ db, projectId, now }, { query }) => ({
    results: await readResults(
      db,
      projectId,
      query.campaignIds.map((id) => uuidFor("cmp", id)),
      now,
    ),
    evaluatedAt: now,
  }),
);
