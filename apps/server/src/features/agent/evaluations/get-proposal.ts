import { z } from "zod";
import { uuidFor } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { pathId } from "../../../platform/http/fields.ts";
import { findProposal } from "./proposal-store.ts";
import { reviewOf } from "./review.ts";
import { AgentProposal, ProposalReview } from "./schema.ts";
import { viewProposal } from "./view.ts";

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
    cost: "heavy",
    oneInstant: true,
    params: z.object({ id: pathId }),
    result: z.object({ proposal: AgentProposal, review: ProposalReview }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const row = await findProposal(ctx.db, ctx.projectId, uuidFor("prop", params.id));
    if (row === null) throw new ApiError("not_found", "Proposal not found");
    return { proposal: await viewProposal(ctx, row), review: await reviewOf(ctx, row) };
  },
);
