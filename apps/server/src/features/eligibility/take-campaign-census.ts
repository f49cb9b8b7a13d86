import { z } from "zod";
import { endpoint } from "../../platform/http/endpoint.ts";
import { pathId } from "../../platform/http/fields.ts";
import { findPass, requireCampaign } from "../campaigns/authoring/public.ts";
import type { Census } from "../deliveries/public.ts";
import { emailCensus } from "../email/sending/public.ts";
import { pushCensus } from "../push/sending/public.ts";
import { webCensus } from "../web/public.ts";
import { CampaignCensus } from "./schema.ts";

const CENSUSES: Readonly<Record<"web_inapp" | "email" | "push", Census>> = {
  web_inapp: webCensus,
  email: emailCensus,
  push: pushCensus,
};

export const takeCampaignCensus = endpoint(
  {
    id: "takeCampaignCensus",
    method: "POST",
    path: "/api/v1/campaigns/{id}/census",
    tag: "Campaigns",
    summary: "Count exactly whom a campaign would reach now",
    description:
      "Every user of the audience is in one bucket, the first in the order of delivery: `matched` = `heldOut` + `alreadyDelivered` + all of `unreachable` + `capped` + `willReceive`. Counted at one instant, as if the campaign ran and its window were open; so it works for drafts. Changes nothing. On the web, `willReceive` are known users who get it when they come, on a page that it is for.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    cost: "heavy",
    isRead: true,
    oneInstant: true,
    params: z.object({ id: pathId }),
    result: CampaignCensus,
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { app, db, projectId, now } = ctx;
    const campaign = await requireCampaign(ctx, params.id);
    const pass = await findPass(db, projectId, campaign.id);
    const counts = await CENSUSES[campaign.channel]({
      ...{ app, db, projectId, now },
      campaign: { ...campaign, pass },
    });
    const reachable = counts.capped + counts.willReceive;
    return { campaignId: params.id, channel: campaign.channel, at: now, ...counts, reachable };
  },
);
