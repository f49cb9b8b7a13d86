import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { uuidOf } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { CampaignDetail } from "./schema.ts";
import { viewCampaignDetail } from "./view.ts";

export const getCampaign = endpoint(
  {
    id: "getCampaign",
    method: "GET",
    path: "/api/v1/campaigns/{id}",
    tag: "Campaigns",
    summary: "Read a campaign with its variants and statistics",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    oneInstant: true,
    params: z.object({ id: pathIds.campaign }),
    result: z.object({ campaign: CampaignDetail.describe("The campaign."), evaluatedAt: epochMs }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const uuid = uuidOf("cmp", params.id);
    const campaign = uuid === null ? null : await viewCampaignDetail(ctx.db, ctx.projectId, uuid, ctx.now);
    if (campaign === null) throw new ApiError("not_found", "Campaign not found");
    return { campaign, evaluatedAt: ctx.now };
  },
);
