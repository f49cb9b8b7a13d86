import { uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import type { AudienceExpression } from "../language/schema.ts";
import { findSegment, findVersion, type SegmentRow, type VersionRow } from "./store.ts";
import { describeVersion } from "./view.ts";

type InProject = Pick<Ctx, "db" | "projectId">;

/** The segment that a request names, by id or key. @throws ApiError not_found when the project has no such segment. */
export async function requireSegment(
  ctx: InProject,
  idOrKey: string,
  lock: "read" | "for update" = "read",
): Promise<SegmentRow> {
  const uuid = uuidOf("seg", idOrKey);
  const segment = await findSegment(
    ctx.db,
    ctx.projectId,
    uuid === null ? ["key", idOrKey] : ["id", uuid],
    lock,
  );
  if (segment === null) throw new ApiError("not_found", "Segment not found");
  return segment;
}

/** A version of a segment, its current one where none is named. @throws ApiError not_found when it has no such version. */
export async function requireVersion(
  ctx: InProject,
  segment: SegmentRow,
  version?: number,
): Promise<VersionRow> {
  const found = await findVersion(ctx.db, ctx.projectId, segment.id, version ?? segment.currentVersion);
  if (found === null) throw new ApiError("not_found", "Segment version not found");
  return found;
}

/** The expression of a segment as it is now. @throws ApiError not_found when the project has no such segment */
export async function requireSegmentExpression(ctx: InProject, idOrKey: string): Promise<AudienceExpression> {
  const version = await requireVersion(ctx, await requireSegment(ctx, idOrKey));
  return describeVersion(version).expression;
}
