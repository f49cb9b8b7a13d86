import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { uuidFor } from "../../domain/ids.ts";
import { endpoint, personOf } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { reasonText, text } from "../../platform/http/contract/fields.ts";
import { applyVerdict, readAtWork, viewProposal } from "../agent/evaluations/public.ts";
import { AgentAtWork, AgentProposal } from "../agent/evaluations/schema.ts";

export const decideProposal = endpoint(
  {
    id: "decideProposal",
    method: "POST",
    path: "/api/people/proposals/{id}/decision",
    audit: "decided a proposal of an agent",
    tag: "Agent",
    summary: "Approve or reject what an agent proposes",
    description:
      "Decides exactly the change of which the person has seen the hash. Approved, the agent may apply it once; rejected, it may not propose the same in this evaluation, and with `forGood` in no later one.",
    keys: [],
    people: "approver",
    params: z.object({ id: pathIds.proposal }),
    body: z.object({
      decision: z.enum(["approved", "rejected"]).describe("What the person decides."),
      payloadHash: text(64, 64)
        .refine((hash) => /^[0-9a-f]*$/.test(hash), "must be 64 hexadecimal digits, in lower case")
        .describe("The hash that the person has seen."),
      reason: reasonText(400).optional(),
      forGood: z
        .boolean()
        .default(false)
        .describe("Of a rejection: whether it holds in every later evaluation too."),
    }),
    example: { decision: "approved", payloadHash: "0".repeat(64), reason: "Looks right" },
    result: z.object({ proposal: AgentProposal.describe("The proposal."), atWork: AgentAtWork }),
    errors: ["not_found", "conflict"],
    reasons: ["other_hash", "stale", "decided", "too_late"],
    refusalFields: {
      moved: {
        type: "array",
        maxItems: 1_000,
        items: { type: "string", maxLength: 400 },
        description: "With `stale`: the fields that were changed since it was proposed.",
      },
    },
  },
  async (ctx, { params, body: { decision, payloadHash, reason = null, forGood } }) => {
    if (forGood && decision === "approved")
      throw new ApiError("invalid_request", "forGood must be left out: it is for rejections");
    const verdict = { status: decision, by: personOf(ctx).name, reason, forGood, hashPrefix: payloadHash };
    const decided = await applyVerdict(ctx, uuidFor("prop", params.id), verdict);
    if ("refusal" in decided) {
      const { reason: why, message, moved } = decided.refusal;
      if (why === "unknown") throw new ApiError("not_found", "Proposal not found");
      throw new ApiError("conflict", message, { fields: { reason: why, ...(moved && { moved }) } });
    }
    const proposal = await viewProposal(ctx, decided.proposal);
    ctx.describe({
      target: proposal.id,
      before: { status: "pending" },
      after: { status: decision, campaignId: proposal.campaignId, payloadHash, reason, forGood },
    });
    return { proposal, atWork: await readAtWork(ctx) };
  },
);
