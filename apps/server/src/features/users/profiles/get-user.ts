import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { requireUser } from "./require-user.ts";
import { EndUser } from "./schema.ts";
import { toEndUser } from "./store.ts";

export const getUser = endpoint(
  {
    id: "getUser",
    method: "GET",
    path: "/api/v1/users/{id}",
    tag: "Users",
    summary: "Read a user",
    description:
      "`id` is the user's `eu_…` id, or the id in your product. An own id that reads like a path of its own, such as `summary`, is reached by the `eu_…` id.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: {},
    params: z.object({ id: pathIds.user }),
    result: z.object({ user: EndUser.describe("The user.") }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const user = await requireUser(ctx, params.id);
    return { user: toEndUser(ctx.now)(user) };
  },
);
