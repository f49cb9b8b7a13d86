import { z } from "zod";
import { answerIds, pathIds } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { count, queryNumber } from "../../../platform/http/contract/fields.ts";
import { listVariants, requireCampaign } from "../../campaigns/authoring/public.ts";
import { findGoal } from "../../campaigns/goals/public.ts";
import { ALPHA, mostWeighted, planFor } from "../../statistics/public.ts";
import { Plan } from "../../statistics/schema.ts";
import { attributionDaysOf } from "./statistics.ts";

export const getCampaignPlan = endpoint(
  {
    id: "getCampaignPlan",
    method: "GET",
    path: "/api/v1/campaigns/{id}/plan",
    tag: "Campaigns",
    summary: "Say how long a campaign would take to show a difference",
    description:
      "Before a launch too: from its weights and its goal's attribution window, and from the rate and the traffic that you expect. Once it runs, `statistics.plan` of its conversions says the same from what was counted.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    params: z.object({ id: pathIds.campaign }),
    query: z.object({
      controlRate: queryNumber(0.000001, 0.999999).describe(
        "Which share of the users you expect to convert with the control: 0.04 for 4 %.",
      ),
      exposedPerDay: queryNumber(1, 1_000_000_000).describe(
        "How many users a day you expect to get the control or the variant with most weight.",
      ),
    }),
    result: z.object({
      campaignId: answerIds.campaign,
      attributionDays: z.int().describe("How many days after exposure a conversion counts."),
      comparisons: count.describe("Among how many comparisons the error is divided."),
      plan: Plan.nullable().describe("Null where users do not get both the control and another variant."),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params, query: { controlRate, exposedPerDay } }) => {
    const { db, projectId } = ctx;
    const campaign = await requireCampaign(ctx, params.id);
    const variants = await listVariants(db, projectId, campaign.id);
    const goal = campaign.goalId === null ? null : await findGoal(db, projectId, campaign.goalId);
    const comparisons = variants.filter(({ isControl, weight }) => !isControl && weight > 0).length;
    const attributionDays = attributionDaysOf(goal);
    const compared = mostWeighted(variants);
    return {
      campaignId: params.id,
      attributionDays,
      comparisons,
      plan:
        compared === null
          ? null
          : planFor(
              { controlRate, share: compared.share, comparisons, alpha: ALPHA },
              { exposedPerDay, attributionDays },
            ),
    };
  },
);
