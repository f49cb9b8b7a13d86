import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { listIdentities } from "../identities/public.ts";
import { requireUser } from "./require-user.ts";
import { EndUser, MOST_IDENTITIES, UserIdentity } from "./schema.ts";
import { toEndUser } from "./store.ts";

export const getUser = endpoint(
  {
    id: "getUser",
    method: "GET",
    path: "/api/v1/users/{id}",
    tag: "Users",
    summary: "Read a user",
    description:
      "`id` is the user's `eu_…` id, or the id in your product. An own id that reads like a path of its own, such as `summary`, is reached by the `eu_…` id. A visitor who is not signed in has an id that begins with `$anon:`, or the `eu_…` one; once they are a user, that is the user's.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: {},
    params: z.object({ id: pathIds.user }),
    result: z.object({
      user: EndUser.describe("The user."),
      identities: z.array(UserIdentity).max(MOST_IDENTITIES).meta({
        description: "The visitors who became the user when they signed in, the latest first.",
        example: [],
      }),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const user = await requireUser(ctx, params.id);
    const linked = await listIdentities(ctx.db, ctx.projectId, user, MOST_IDENTITIES);
    return {
      user: toEndUser(ctx.now)(user),
      identities: linked.map(({ userKey, ...identity }) => ({ id: apiId("eu", userKey), ...identity })),
    };
  },
);
