import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { requireSegment, requireVersion } from "./require-segment.ts";
import { SegmentDetail, segmentInPath } from "./schema.ts";
import { updateSegmentRow } from "./store.ts";
import { toSegmentDetail } from "./view.ts";

export const archiveSegment = endpoint(
  {
    id: "archiveSegment",
    method: "POST",
    path: "/api/v1/segments/{id}/archive",
    audit: "archived a segment",
    tag: "Segments",
    summary: "Retire a segment, for good",
    description:
      "It can no longer be revised, nor pinned by campaigns. Its versions stay readable, and campaigns that pinned one go on delivering.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Campaigns that pinned it go on.",
    budget: "audiences",
    tool: { isDestructive: true },
    params: z.object({ id: segmentInPath }),
    result: z.object({ segment: SegmentDetail.describe("The segment.") }),
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params }) => {
    const segment = await requireSegment(ctx, params.id, "for update");
    const change = { status: "archived" as const, updatedAt: ctx.now };
    if (!(await updateSegmentRow(ctx.db, ctx.projectId, segment.id, change)))
      throw new ApiError("conflict", "This segment is archived already.");
    ctx.describe({
      target: apiId("seg", segment.id),
      before: { name: segment.name, status: segment.status },
      after: { status: change.status },
    });
    const current = await requireVersion(ctx, segment);
    return { segment: toSegmentDetail({ ...segment, ...change }, current) };
  },
);
