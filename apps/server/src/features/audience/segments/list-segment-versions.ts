import { z } from "zod";
import { example } from "../../../domain/fields.ts";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { pathId } from "../../../platform/http/contract/fields.ts";
import { requireSegment } from "./require-segment.ts";
import { SegmentVersion } from "./schema.ts";
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
    params: z.object({ id: pathId.meta({ description: "The segment, by id or key.", example: "on-pro" }) }),
    result: z.object({
      segmentId: z.string().max(128).meta({ description: "Id of the segment.", example: example.segment }),
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
