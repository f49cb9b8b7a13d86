import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { requireSegment } from "./require-segment.ts";
import { SegmentVersion, segmentId, segmentInPath } from "./schema.ts";
import { listVersions } from "./store.ts";
import { toSegmentVersion } from "./view.ts";

export const listSegmentVersions = endpoint(
  {
    id: "listSegmentVersions",
    method: "GET",
    path: "/api/v1/segments/{id}/versions",
    tag: "Segments",
    summary: "List the versions of a segment, newest first",
    keys: ["secret"],
    people: "viewer",
    budget: "audiences",
    tool: {},
    params: z.object({ id: segmentInPath }),
    result: z.object({
      segmentId,
      versions: z.array(SegmentVersion).max(1_000_000).describe("The versions, newest first."),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const segment = await requireSegment(ctx, params.id);
    const versions = await listVersions(ctx.db, ctx.projectId, segment.id);
    return { segmentId: apiId("seg", segment.id), versions: versions.map(toSegmentVersion) };
  },
);
