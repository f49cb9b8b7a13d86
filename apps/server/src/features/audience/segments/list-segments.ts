import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { Segment, SegmentStatus } from "./schema.ts";
import { listSegments as selectSegments } from "./store.ts";
import { toSegment } from "./view.ts";

export const listSegments = endpoint(
  {
    id: "listSegments",
    method: "GET",
    path: "/api/v1/segments",
    tag: "Segments",
    summary: "List segments, newest first",
    keys: ["secret"],
    people: "viewer",
    budget: "audiences",
    tool: {},
    query: z.object({ status: SegmentStatus.optional().describe("Only segments in this state.") }),
    result: z.object({ segments: z.array(Segment).max(100).describe("The segments.") }),
  },
  async ({ db, projectId }, { query }) => {
    const filter = { status: query.status ?? null, contains: null };
    const rows = await selectSegments(db, projectId, filter, { offset: 0, limit: 100 });
    return { segments: rows.map(({ segment, current }) => toSegment(segment, current)) };
  },
);
