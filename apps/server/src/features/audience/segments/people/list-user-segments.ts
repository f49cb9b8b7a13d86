import { z } from "zod";
import { storedUserId } from "../../../../domain/fields.ts";
import { apiId } from "../../../../domain/ids.ts";
import { endpoint } from "../../../../platform/http/endpoint.ts";
import { epochMs } from "../../../../platform/http/fields.ts";
import { requireUser } from "../../../users/profiles/public.ts";
import { parseExpression } from "../../language/parse/parse.pure.ts";
import { expressionsMatching } from "../../language/public.ts";
import { NamedSegment } from "../schema.ts";
import { listSegments } from "../store.ts";

/** The most segments that one answer looks at. */
const MOST = 200;

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
    params: z.object({ id: storedUserId }),
    result: z.object({
      segments: z.array(NamedSegment.extend({ name: z.string().max(80) })).max(MOST),
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
    // A segment that cannot be read has no user in it, as everywhere.
    const readable = found.slice(0, MOST).flatMap(({ segment, current }) => {
      const parsed = parseExpression(current.expression);
      return parsed.ok ? [{ segment, expression: parsed.expression }] : [];
    });
    const expressions = readable.map(({ expression }) => expression);
    const matches = await expressionsMatching(db, projectId, user, expressions, evaluatedAt);
    const segments = readable
      .filter((_, index) => matches[index] === true)
      .map(({ segment: { id, key, name, currentVersion: version } }) => ({
        ...{ id: apiId("seg", id), key, name, version },
      }));
    return { segments, evaluatedAt, lookedAll: found.length <= MOST };
  },
);
