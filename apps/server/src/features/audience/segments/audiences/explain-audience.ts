import { z } from "zod";
import { storedUserId } from "../../../../domain/fields.ts";
import { endpoint, KIB } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { requireUser } from "../../../users/profiles/public.ts";
import { describeExpression, explainExpression } from "../../language/public.ts";
import { AudienceExplanation, audienceQuestion } from "../schema.ts";
import { resolveQuestion } from "./question.ts";

export const explainAudience = endpoint(
  {
    id: "explainAudience",
    method: "POST",
    path: "/api/v1/audiences/explain",
    tag: "Audiences",
    summary: "Say why one user matches an audience, or does not",
    description:
      "Every node with what was observed. The same rules decide in `check` and when messages are served.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "audiences",
    tool: {},
    cost: "heavy",
    isRead: true,
    oneInstant: true,
    bodyLimit: 64 * KIB,
    body: z.object({
      userId: storedUserId.describe("`eu_…`, or the id in your product."),
      ...audienceQuestion,
    }),
    example: { userId: "ada", segment: "on-pro" },
    result: AudienceExplanation,
    errors: ["not_found"],
  },
  async (ctx, { body }) => {
    const { db, projectId, now: evaluatedAt } = ctx;
    const { expression, segment } = await resolveQuestion(ctx, body);
    const user = await requireUser(ctx, body.userId);
    const { known, matched, trace } = await explainExpression(db, projectId, user, expression, evaluatedAt);
    if (known === null) throw new ApiError("not_found", "User not found");
    const { firstSeenAt, lastSeenAt, facts } = known;
    return {
      user: { externalUserId: facts.externalId, firstSeenAt, lastSeenAt },
      matched,
      evaluatedAt,
      expressionHash: describeExpression(expression).expressionHash,
      trace,
      ...(segment === undefined ? {} : { segment }),
    };
  },
);
