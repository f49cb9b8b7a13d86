import { wordOps } from "@tidings/client/word-ops";
import { z } from "zod";
import { apiId } from "../../../../domain/ids.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { queryInt } from "../../../../platform/http/contract/fields.ts";
import { countMatching } from "../../language/public.ts";
import type { AudienceExpression } from "../../language/schema.ts";
import { requireSegment, requireVersion } from "../require-segment.ts";
import { segmentInPath, VersionComparison } from "../schema.ts";
import { describeVersion } from "../view.ts";

const MAX_VERSION = 1_000_000;

/** The users of one expression whom another one does not match. */
const only = (one: AudienceExpression, other: AudienceExpression): AudienceExpression => ({
  version: 1,
  root: { kind: "all", children: [one.root, { kind: "not", child: other.root }] },
});

export const compareSegmentVersions = endpoint(
  {
    id: "compareSegmentVersions",
    method: "GET",
    path: "/api/people/segments/{id}/comparison",
    tag: "Segments",
    summary: "Compare two versions of a segment, in words and in users",
    keys: [],
    people: "viewer",
    cost: "heavy",
    oneInstant: true,
    params: z.object({ id: segmentInPath }),
    query: z.object({
      from: queryInt(0, MAX_VERSION, 0).describe("The version before; the one right before `to` for 0."),
      to: queryInt(0, MAX_VERSION, 0).describe("The version after; the current one for 0."),
    }),
    result: VersionComparison,
    errors: ["not_found"],
  },
  async (ctx, { params, query }) => {
    const { db, projectId, now } = ctx;
    const segment = await requireSegment(ctx, params.id);
    const to = query.to || segment.currentVersion;
    const from = query.from || Math.max(1, to - 1);
    const one = describeVersion(await requireVersion(ctx, segment, from));
    const other = describeVersion(await requireVersion(ctx, segment, to));
    const count = async (expression: AudienceExpression): Promise<number> =>
      (await countMatching(db, projectId, expression, now)).matched;
    const before = await count(one.expression);
    const joining = await count(only(other.expression, one.expression));
    const leaving = await count(only(one.expression, other.expression));
    return {
      segmentId: apiId("seg", segment.id),
      from,
      to,
      ops: wordOps(one.summary, other.summary),
      evaluatedAt: now,
      before,
      after: before + joining - leaving,
      joining,
      leaving,
    };
  },
);
