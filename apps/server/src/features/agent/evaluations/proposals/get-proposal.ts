import { z } from "zod";
import { pathIds } from "../../../../domain/fields.ts";
import { uuidFor } from "../../../../domain/ids.ts";
import { type Ctx, endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { findCampaign, listVariants, withWarnings } from "../../../campaigns/authoring/public.ts";
import { warningsOfMutation } from "../changes/warned.ts";
import { AgentProposal, ProposalReview } from "../schema.ts";
import { mutationOf } from "./open-proposals.ts";
import { findProposal, type ProposalRow } from "./proposal-store.ts";
import { reviewOf } from "./review.ts";
import { viewProposal } from "./view.ts";

/** What is likely a slip in the texts that a proposal brings to users, with the places that its answer had when it was made. */
export async function warningsOfProposal(ctx: Pick<Ctx, "app" | "db" | "projectId">, proposal: ProposalRow) {
  const campaign = await findCampaign(ctx.db, ctx.projectId, proposal.campaignId);
  if (campaign === null) throw new Error("A proposal for a campaign that is not there.");
  const variants = await listVariants(ctx.db, ctx.projectId, campaign.id);
  return warningsOfMutation(ctx, campaign, mutationOf(proposal), { variants });
}

export const getProposal = endpoint(
  {
    id: "getProposal",
    method: "GET",
    path: "/api/v1/agent/proposals/{id}",
    tag: "Agent",
    summary: "Read a proposal with what people need in order to decide",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "agent",
    tool: "Proposals come from the loop of an agent, and people decide them.",
    cost: "heavy",
    oneInstant: true,
    params: z.object({ id: pathIds.proposal }),
    result: z.object({
      proposal: AgentProposal.describe("The proposal."),
      review: ProposalReview.describe("What people need in order to decide."),
      ...withWarnings,
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const row = await findProposal(ctx.db, ctx.projectId, uuidFor("prop", params.id));
    if (row === null) throw new ApiError("not_found", "Proposal not found");
    return {
      proposal: await viewProposal(ctx, row),
      review: await reviewOf(ctx, row),
      ...(await warningsOfProposal(ctx, row)),
    };
  },
);
