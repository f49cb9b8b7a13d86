import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../platform/http/contract/page.ts";
import { requireCampaign } from "../campaigns/authoring/public.ts";
import { Delivery, deliveryState } from "./schema.ts";
import { listDeliveries } from "./store.ts";

export const listCampaignDeliveries = endpoint(
  {
    id: "listCampaignDeliveries",
    method: "GET",
    path: "/api/v1/campaigns/{id}/deliveries",
    tag: "Campaigns",
    summary: "List the deliveries of a campaign, newest first",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.campaign }),
    query: z.object({
      state: deliveryState.optional().describe("Only deliveries in this state."),
      ...pageQuery(),
    }),
    result: z.object({ deliveries: z.array(Delivery).max(100).describe("The deliveries."), ...pageFields }),
    errors: ["not_found"],
  },
  async (ctx, { params, query }) => {
    const { db, projectId } = ctx;
    const campaign = await requireCampaign(ctx, params.id);
    const filter = { campaignId: campaign.id, state: query.state ?? null };
    const { deliveries, total } = await listDeliveries(db, projectId, filter, pageWindow(query));
    return { deliveries, ...pageAnswer(query, total) };
  },
);
