import { uuidOf } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { findSegment, findVersion, type SegmentRow, type VersionRow } from "./store.ts";

/** The segment that a request names, by id or key. @throws ApiError not_found when the project has no such segment. */
export async function requireSegment(
  ctx: Ctx,
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
export async function requireVersion(ctx: Ctx, segment: SegmentRow, version?: number): Promise<VersionRow> {
  const found = await findVersion(ctx.db, ctx.projectId, segment.id, version ?? segment.currentVersion);
  if (found === null) throw new ApiError("not_found", "Segment version not found");
  return found;
}
