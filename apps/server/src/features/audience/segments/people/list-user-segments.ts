import { z } from "zod";
import { pathIds } from "../../../../domain/fields.ts";
import { apiId } from "../../../../domain/ids.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import { requireUser } from "../../../users/profiles/public.ts";
import { parseExpression } from "../../language/parse/parse.pure.ts";
import { expressionsMatching } from "../../language/public.ts";
import type { AudienceExpression } from "../../language/schema.ts";
import { NamedSegment } from "../schema.ts";
import { listSegments, type SegmentRow } from "../store.ts";

/** The most segments that one answer looks at. */
const MOST = 200;

const Named = NamedSegment.extend({ name: z.string().max(80).describe("What people call it.") });

const nameOf = ({ id, key, name, currentVersion: version }: SegmentRow): z.infer<typeof Named> => ({
  id: apiId("seg", id),
  key,
  name,
  version,
});

export const listUserSegments = endpoint(
  {
    id: "listUserSegments",
    method: "GET",
    path: "/api/people/users/{id}/segments",
    tag: "Segments",
    summary: "List the segments that a user is in now",
    description: "Active segments, by their current versions, the newest segments first.",
    keys: [],
    people: "viewer",
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.user }),
    result: z.object({
      segments: z.array(Named).max(MOST).describe("The segments."),
      unreadable: z
        .array(Named)
        .max(MOST)
        .describe("Segments of which nobody knows whether the user is in them: their rule cannot be read."),
      evaluatedAt: epochMs.describe("As of when, epoch milliseconds."),
      lookedAll: z.boolean().describe("Whether all segments were looked at; otherwise the newest ones were."),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { db, projectId, now: evaluatedAt } = ctx;
    const user = await requireUser(ctx, params.id);
    const active = { status: "active", contains: null } as const;
    const found = await listSegments(db, projectId, active, { offset: 0, limit: MOST + 1 });
    const readable: { segment: SegmentRow; expression: AudienceExpression }[] = [];
    const unreadable: SegmentRow[] = [];
    for (const { segment, current } of found.slice(0, MOST)) {
      const parsed = parseExpression(current.expression);
      if (parsed.ok) readable.push({ segment, expression: parsed.expression });
      else unreadable.push(segment);
    }
    const expressions = readable.map(({ expression }) => expression);
    const matches = await expressionsMatching(db, projectId, user, expressions, evaluatedAt);
    const matching = readable.filter((_, index) => matches[index] === true);
    return {
      segments: matching.map(({ segment }) => nameOf(segment)),
      unreadable: unreadable.map(nameOf),
      evaluatedAt,
      lookedAll: found.length <= MOST,
    };
  },
);
