import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { requireSegment } from "../require-segment.ts";
import { CampaignsOfSegment, PastVersion, segmentInPath } from "../schema.ts";
import { listVersions } from "../store.ts";
import { toSegmentVersion } from "../view.ts";
import { readUse } from "./use.ts";

export const listSegmentHistory = endpoint(
  {
    id: "listSegmentHistory",
    method: "GET",
    path: "/api/people/segments/{id}/history",
    tag: "Segments",
    summary: "List the versions of a segment, newest first, with their authors and campaigns",
    keys: [],
    people: "viewer",
    oneInstant: true,
    params: z.object({ id: segmentInPath }),
    query: z.object(pageQuery(25)),
    result: z.object({
      versions: z.array(PastVersion).max(100).describe("The versions, newest first."),
      campaigns: CampaignsOfSegment.describe("Campaigns that pin any of its versions."),
      ...pageFields,
    }),
    errors: ["not_found"],
  },
  async (ctx, { params, query }) => {
    const segment = await requireSegment(ctx, params.id);
    const rows = await listVersions(ctx.db, ctx.projectId, segment.id, pageWindow(query));
    const use = await readUse(ctx, [segment.id]);
    return {
      versions: rows.map((row) => ({
        ...toSegmentVersion(row),
        campaigns: use.campaignsOf(segment.id, row.version),
        madeBy: use.authorOf(segment.id, row.createdAt),
      })),
      campaigns: use.campaignsOf(segment.id),
      // Versions are numbered from 1 without a gap.
      ...pageAnswer(query, segment.currentVersion),
    };
  },
);
