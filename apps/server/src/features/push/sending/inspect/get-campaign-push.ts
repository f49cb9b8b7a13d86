import { z } from "zod";
import { pathIds } from "../../../../domain/fields.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { pageQuery } from "../../../../platform/http/contract/page.ts";
import { PushInspection } from "../schema.ts";
import { inspectCampaign, requirePushCampaign } from "./inspect.ts";

export const getCampaignPush = endpoint(
  {
    id: "getCampaignPush",
    method: "GET",
    path: "/api/v1/campaigns/{id}/push",
    tag: "Push",
    summary: "What became of a push campaign",
    description:
      "A page of each collection, by immutable id, and totals of the whole campaign. 409 for a campaign of another channel.",
    keys: ["secret"],
    people: "viewer",
    budget: "campaigns",
    tool: "It lists single devices, which say nothing to a model.",
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.campaign }),
    query: z.object(pageQuery(25)),
    result: PushInspection,
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params, query: { page, perPage } }) => {
    const campaign = await requirePushCampaign(ctx, params.id);
    return inspectCampaign(ctx, campaign, { page, perPage, now: ctx.now });
  },
);
