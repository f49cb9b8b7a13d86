import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { requireCampaign } from "../campaigns/authoring/public.ts";
import { assertHasAudience } from "./has-audience.ts";
import { CampaignCensus } from "./schema.ts";
import { takeCensusNow } from "./take-census.ts";

export const takeCampaignCensus = endpoint(
  {
    id: "takeCampaignCensus",
    method: "POST",
    path: "/api/v1/campaigns/{id}/census",
    tag: "Campaigns",
    summary: "Count exactly whom a campaign would reach now",
    description:
      "Every user of the audience is in one bucket, the first in the order of delivery: `matched` = `heldOut` + `alreadyDelivered` + all of `unreachable` + `capped` + `willReceive`. Counted as if the campaign ran and its window were open: drafts too. On the web, `willReceive` are known users, once they come to a page that it is for. Visitors are counted beside, in `visitors`; of a campaign for visitors alone, all counts are of them. `missing`: who has nothing to show at a personal field.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    cost: "heavy",
    isRead: true,
    oneInstant: true,
    params: z.object({ id: pathIds.campaign }),
    result: CampaignCensus,
    errors: ["not_found", "conflict"],
    reasons: ["transactional", "journey_step"],
  },
  async (ctx, { params }) => takeCensusNow(ctx, assertHasAudience(await requireCampaign(ctx, params.id))),
);
