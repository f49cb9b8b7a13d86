import { z } from "zod";
import { pathIds } from "../../../../domain/fields.ts";
import { atOneInstant } from "../../../../platform/db/transactions/at-one-instant.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { planNow } from "../plan/plan.ts";
import { PushInspection } from "../schema.ts";
import { inspectCampaign, requirePushCampaign } from "./inspect.ts";

const PER_PAGE = 100;

export const dispatchCampaignPush = endpoint(
  {
    id: "dispatchCampaignPush",
    method: "POST",
    path: "/api/v1/campaigns/{id}/push/dispatch",
    audit: "planned a push campaign",
    tag: "Push",
    summary: "Plan a push campaign now, and see what there is",
    description:
      "Sending needs no call: a campaign that runs is planned and sent by itself, within a minute for users who are new. This looks for them at once, and at those who wait, and answers the first page of everything. While the campaign is paused or outside of its window nothing is planned. 409 for a draft, and for a campaign that has ended.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "It plans what runs a minute earlier.",
    budget: "campaigns",
    tool: "It reaches people or their devices at once.",
    oneInstant: "It plans first, and opens its instant then.",
    ownTransaction: true,
    params: z.object({ id: pathIds.campaign }),
    result: PushInspection,
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params }) => {
    const { app, projectId } = ctx;
    const campaign = await requirePushCampaign(ctx, params.id);
    if (campaign.status === "draft") throw new ApiError("conflict", "Launch this campaign first.");
    if (campaign.status === "ended") throw new ApiError("conflict", "This campaign has ended.");
    await planNow(app, { projectId, campaignId: campaign.id });
    const window = { page: 1, perPage: PER_PAGE, now: app.clock() };
    return atOneInstant(app.database.kysely, (db) => inspectCampaign({ db, projectId }, campaign, window));
  },
);
