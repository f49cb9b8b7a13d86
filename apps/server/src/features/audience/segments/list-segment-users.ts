import { z } from "zod";
import { apiId, keyRef, uuidOf } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { epochMs, queryInt, text } from "../../../platform/http/contract/fields.ts";
import { toEndUser } from "../../users/profiles/public.ts";
import { EndUser } from "../../users/profiles/schema.ts";
import { nextMembers } from "./members-store.ts";
import { requireSegmentExpression } from "./require-segment.ts";
import { segmentInPath } from "./schema.ts";

export const listSegmentUsers = endpoint(
  {
    id: "listSegmentUsers",
    method: "GET",
    path: "/api/v1/segments/{id}/users",
    tag: "Segments",
    summary: "List the users of a segment",
    description:
      "`id` is the segment's id or key. Who is in it as it is now, in an order that does not change: users who come or go meanwhile move no others. `after` is the `next` of the page before.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "audiences",
    tool: "It lists all users of a segment, which no model reads.",
    cost: "heavy",
    oneInstant: true,
    params: z.object({ id: segmentInPath }),
    query: z.object({
      after: text(128).optional().describe("Only users behind this one: the `next` of the page before."),
      limit: queryInt(1, 100, 50).describe("How many users at most."),
    }),
    result: z.object({
      users: z.array(EndUser).max(100).describe("Users."),
      next: z.string().max(128).nullable().describe("The `after` of the next page; null at the end."),
      evaluatedAt: epochMs,
    }),
    errors: ["not_found"],
  },
  async (ctx, { params, query: { after, limit } }) => {
    const { db, projectId, now: evaluatedAt } = ctx;
    const expression = await requireSegmentExpression(ctx, params.id);
    const userKey = after === undefined ? null : uuidOf("eu", after);
    if (after !== undefined && userKey === null)
      throw new ApiError("invalid_request", "query.after must be an id that begins with eu_");
    const question = { expression, evaluatedAt };
    const place = { after: userKey === null ? null : keyRef(userKey), limit: limit + 1 };
    const rows = await nextMembers(db, projectId, question, place);
    const users = rows.slice(0, limit);
    const last = users.at(-1);
    // One more than are answered tells whether there is a next page.
    const next = rows.length > limit && last !== undefined ? apiId("eu", last.userKey) : null;
    return { users: users.map(toEndUser(evaluatedAt)), next, evaluatedAt };
  },
);
