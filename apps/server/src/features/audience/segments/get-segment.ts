import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { requireSegment, requireVersion } from "./require-segment.ts";
import { SegmentDetail, segmentInPath } from "./schema.ts";
import { toSegmentDetail } from "./view.ts";

export const getSegment = endpoint(
  {
    id: "getSegment",
    method: "GET",
    path: "/api/v1/segments/{id}",
    tag: "Segments",
    summary: "Read a segment, by id or key",
    keys: ["secret"],
    people: "viewer",
    budget: "audiences",
    tool: {},
    params: z.object({ id: segmentInPath }),
    result: z.object({ segment: SegmentDetail.describe("The segment.") }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const segment = await requireSegment(ctx, params.id);
    const current = await requireVersion(ctx, segment);
    return { segment: toSegmentDetail(segment, current) };
  },
);
