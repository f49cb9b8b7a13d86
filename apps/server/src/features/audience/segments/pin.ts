import { apiId } from "../../../domain/ids.ts";
import { type Ctx, makerOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { requireExpression } from "../language/public.ts";
import type { StoredAudience } from "../language/schema.ts";
import { requireSegment, requireVersion } from "./require-segment.ts";
import { insertVersion } from "./store.ts";
import { describeVersion } from "./view.ts";

type Pinned<Kind> = Extract<StoredAudience, { kind: Kind }>;

/** Stores a version of an expression that comes with a campaign. Needs a transaction. @throws ApiError for a wrong expression */
export async function pinExpression(
  ctx: Ctx,
  input: { expression: unknown; reason?: string | undefined },
): Promise<Pinned<"expression">> {
  const expression = await requireExpression(ctx.db, ctx.projectId, input.expression);
  const reason = input.reason ?? null;
  const id = newUuid(ctx.now);
  await insertVersion(ctx.db, ctx.projectId, {
    id,
    segmentId: null,
    version: null,
    expression,
    reason,
    agentRunId: null,
    createdBy: makerOf(ctx),
    createdAt: ctx.now,
  });
  return { kind: "expression", audienceVersionId: apiId("aud", id), expression, reason, legacy: false };
}

/**
 * A version of a segment, its current one where none is named, as a campaign keeps it.
 * @throws ApiError not_found when there is none, conflict when the segment is archived.
 */
export async function pinSegment(
  ctx: Ctx,
  input: { segment: string; version?: number | undefined },
): Promise<Pinned<"segment">> {
  // Locked, so that the segment cannot be archived before the campaign that pins it is committed.
  const segment = await requireSegment(ctx, input.segment, "for update");
  if (segment.status === "archived")
    throw new ApiError("conflict", "This segment is archived: it can no longer be referenced.");
  const row = await requireVersion(ctx, segment, input.version);
  return {
    kind: "segment",
    audienceVersionId: apiId("aud", row.id),
    segmentId: apiId("seg", segment.id),
    segmentVersion: row.version,
    expression: describeVersion(row).expression,
    reason: row.reason,
  };
}
