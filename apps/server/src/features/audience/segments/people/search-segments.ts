import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { text } from "../../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { FoundSegment, SegmentStatus } from "../schema.ts";
import { countSegments, listSegments } from "../store.ts";
import { toSegment } from "../view.ts";
import { readUse } from "./use.ts";

export const searchSegments = endpoint(
  {
    id: "searchSegments",
    method: "GET",
    path: "/api/people/segments",
    tag: "Segments",
    summary: "Search segments by name or key, newest first, with what uses them",
    keys: [],
    people: "viewer",
    oneInstant: true,
    query: z.object({
      status: SegmentStatus.optional().describe("Its state."),
      q: text(200, 0).optional().describe("Part of the name or the key, whatever its case."),
      ...pageQuery(25),
    }),
    result: z.object({ segments: z.array(FoundSegment).max(100).describe("The segments."), ...pageFields }),
  },
  async (ctx, { query }) => {
    const { db, projectId } = ctx;
    const filter = { status: query.status ?? null, contains: query.q ?? null };
    const total = await countSegments(db, projectId, filter);
    const rows = await listSegments(db, projectId, filter, pageWindow(query));
    const use = await readUse(
      ctx,
      rows.map(({ segment }) => segment.id),
    );
    return {
      segments: rows.map(({ segment, current }) => ({
        ...toSegment(segment, current),
        campaigns: use.campaignsOf(segment.id),
        madeBy: use.authorOf(segment.id, segment.createdAt),
      })),
      ...pageAnswer(query, total),
    };
  },
);
