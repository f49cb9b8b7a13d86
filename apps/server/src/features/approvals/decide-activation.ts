import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { uuidFor } from "../../domain/ids.ts";
import { endpoint, personOf } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { reasonText, text } from "../../platform/http/contract/fields.ts";
import { decideCampaign } from "./decide-campaign.ts";

export const decideActivation = endpoint(
  {
    id: "decideActivation",
    method: "POST",
    path: "/api/people/campaigns/{id}/activation/approval",
    audit: "decided whether a campaign launches by itself",
    tag: "Launches",
    summary: "Allow a campaign to launch by itself, or take that back",
    description: "Once it is allowed, it launches when the changes that it announces are live everywhere.",
    keys: [],
    people: "approver",
    params: z.object({ id: pathIds.campaign }),
    body: z.object({
      decision: z
        .enum(["approved", "rejected"])
        .default("approved")
        .describe("`rejected` takes an approval back."),
      revision: text(64, 64)
        .refine((hash) => /^[0-9a-f]*$/.test(hash), "must be 64 hexadecimal digits, in lower case")
        .describe("The revision that the person has seen: another one is refused."),
      reason: reasonText(400).optional(),
    }),
    example: { decision: "approved", revision: "0".repeat(64), reason: "Looks right" },
    result: z.object({
      approval: z.enum(["approved", "pending"]).describe("Whether it may launch by itself now."),
      revision: text(64).describe("What was decided about."),
    }),
    errors: ["not_found", "conflict"],
    reasons: ["launched", "other_revision", "not_approved"],
  },
  async (ctx, { params, body: { decision: status, revision: revisionPrefix, reason = null } }) => {
    const verdict = { status, by: personOf(ctx).name, reason, revisionPrefix };
    const decided = await decideCampaign(ctx, uuidFor("cmp", params.id), verdict);
    if ("refusal" in decided) {
      const { reason: why, message } = decided.refusal;
      if (why === "unknown") throw new ApiError("not_found", "Campaign not found");
      throw new ApiError("conflict", message, { fields: { reason: why } });
    }
    const approval = status === "approved" ? ("approved" as const) : ("pending" as const);
    ctx.describe({
      before: { approval: decided.was },
      after: { approval, revision: decided.revision, reason },
    });
    return { approval, revision: decided.revision };
  },
);
