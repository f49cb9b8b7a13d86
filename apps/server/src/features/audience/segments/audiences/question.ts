import { apiId } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { requireExpression } from "../../language/public.ts";
import type { AudienceExpression } from "../../language/schema.ts";
import { requireSegment, requireVersion } from "../require-segment.ts";
import { questionFault } from "../schema.ts";
import { describeVersion } from "../view.ts";

type Question = { expression?: unknown; segment?: string | undefined; version?: number | undefined };

/** The audience that a request asks about, with the segment if it is a version of one. */
type ResolvedAudience = {
  expression: AudienceExpression;
  segment?: { id: string; key: string; version: number };
};

/** @throws ApiError when the question is malformed, or names a segment or version that does not exist */
export async function resolveQuestion(ctx: Ctx, question: Question): Promise<ResolvedAudience> {
  const fault = questionFault(question);
  if (fault !== null) throw new ApiError("invalid_request", fault);
  if (question.segment === undefined)
    return { expression: await requireExpression(ctx.db, ctx.projectId, question.expression) };
  const segment = await requireSegment(ctx, question.segment);
  const row = await requireVersion(ctx, segment, question.version);
  return {
    expression: describeVersion(row).expression,
    segment: { id: apiId("seg", segment.id), key: segment.key, version: row.version },
  };
}
