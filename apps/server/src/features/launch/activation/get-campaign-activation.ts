import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { requireCampaign } from "../../campaigns/authoring/public.ts";
import { CampaignActivation } from "../schema.ts";
import { viewActivation } from "../view.ts";

export const getCampaignActivation = endpoint(
  {
    id: "getCampaignActivation",
    method: "GET",
    path: "/api/v1/campaigns/{id}/activation",
    tag: "Launches",
    summary: "Say whether a campaign launches by itself, and what it waits for",
    description:
      "Everything that it waits for is listed, each with what to do. Once it was launched: the receipt, and warnings where a change of it was taken back.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: "People decide what launches by itself.",
    oneInstant: true,
    params: z.object({ id: pathIds.campaign }),
    result: CampaignActivation,
    errors: ["not_found"],
  },
  async (ctx, { params }) => viewActivation(ctx, await requireCampaign(ctx, params.id)),
);
