import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { pathId } from "../../../platform/http/contract/fields.ts";
import { requireSegment, requireVersion } from "./require-segment.ts";
import { SegmentVersionDetail, segmentId, segmentInPath } from "./schema.ts";
import { describeVersion, toSegmentVersion } from "./view.ts";

/** Any text, so that one that is no number is answered with 404, like any unknown id. */
const versionInPath = pathId.meta({
  type: "integer",
  minimum: 1,
  maximum: 1_000_000,
  minLength: undefined,
  maxLength: undefined,
});

export const getSegmentVersion = endpoint(
  {
    id: "getSegmentVersion",
    method: "GET",
    path: "/api/v1/segments/{id}/versions/{version}",
    tag: "Segments",
    summary: "Read a version of a segment",
    keys: ["secret"],
    people: "viewer",
    budget: "audiences",
    tool: {},
    params: z.object({
      id: segmentInPath,
      version: versionInPath.meta({ description: "Number of the version, from 1.", example: 1 }),
    }),
    result: z.object({
      segmentId,
      version: SegmentVersionDetail.describe("The version."),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const segment = await requireSegment(ctx, params.id);
    const row = await requireVersion(
      ctx,
      segment,
      /^\d{1,7}$/.test(params.version) ? Number(params.version) : 0,
    );
    const { expression } = describeVersion(row);
    return { segmentId: apiId("seg", segment.id), version: { ...toSegmentVersion(row), expression } };
  },
);
