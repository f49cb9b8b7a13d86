import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { apiId, uuidFor } from "../../domain/ids.ts";
import { type Ctx, endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { changedMessages, weightsAfter } from "../agent/evaluations/changes/affected.pure.ts";
import {
  findProposal,
  mutationOf,
  type ProposalRow,
  proposalBase,
  warningsOfProposal,
} from "../agent/evaluations/public.ts";
import { findCampaign, listVariants } from "../campaigns/authoring/public.ts";
import { takeCensus } from "../eligibility/public.ts";
import { CampaignCensus } from "../eligibility/schema.ts";

/** The variants of the campaign, with the messages and the weights that a proposal gives them. */
async function variantsAfter({ db, projectId }: Pick<Ctx, "db" | "projectId">, proposal: ProposalRow) {
  const variants = (await listVariants(db, projectId, proposal.campaignId)).map((variant) => ({
    ...variant,
    apiId: apiId("var", variant.id),
  }));
  const mutation = mutationOf(proposal);
  const messages = new Map(
    changedMessages(mutation, proposalBase(proposal)).map(({ variantId, after }) => [variantId, after]),
  );
  const weights = weightsAfter(
    mutation,
    variants.map((variant) => ({ ...variant, id: variant.apiId })),
  );
  return variants.map(({ id, apiId: named, weight, content }) => ({
    id,
    weight: weights.get(named) ?? weight,
    content: messages.get(named) ?? content,
  }));
}

/**
 * The census of a campaign as a proposal would make it. The context reads at one instant. Other steps of a journey leave its texts as they
 * are, so the warnings are then of the messages that the steps bring.
 */
export async function censusOfProposal(
  ctx: Pick<Ctx, "app" | "db" | "projectId" | "now">,
  proposal: ProposalRow,
): Promise<CampaignCensus> {
  const campaign = await findCampaign(ctx.db, ctx.projectId, proposal.campaignId);
  if (campaign === null) throw new Error("A proposal for a campaign that is not there.");
  const census = await takeCensus(ctx, campaign, await variantsAfter(ctx, proposal));
  if (mutationOf(proposal).type !== "journey") return census;
  const { warnings = [] } = await warningsOfProposal(ctx, proposal);
  return { ...census, missing: [], uncountedFields: 0, warnings };
}

export const takeProposalCensus = endpoint(
  {
    id: "takeProposalCensus",
    method: "POST",
    path: "/api/people/proposals/{id}/census",
    tag: "Agent",
    summary: "Count whom a campaign would reach as a proposal would make it",
    description:
      "As the census of the campaign, with the messages and weights that are proposed: who lacks what they say, and what is likely a slip in them.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    isRead: true,
    oneInstant: true,
    params: z.object({ id: pathIds.proposal }),
    result: CampaignCensus,
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const proposal = await findProposal(ctx.db, ctx.projectId, uuidFor("prop", params.id));
    if (proposal === null) throw new ApiError("not_found", "Proposal not found");
    return censusOfProposal(ctx, proposal);
  },
);
