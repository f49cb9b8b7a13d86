import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { apiId } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { requireUser } from "../users/profiles/public.ts";
import { erase } from "./erase.ts";

export const eraseUser = endpoint(
  {
    id: "eraseUser",
    method: "DELETE",
    path: "/api/v1/users/{id}",
    audit: "erased a user",
    tag: "Users",
    summary: "Erase a user for good",
    description:
      "Erases traits, events, reports, app installations and the id in your product. Deliveries stay, of nobody in particular, with what became of them: statistics and conversions do not change. `id` is the user's `eu_…` id, or the id in your product, which from then on is a new user. Events of somebody with very many are deleted just after the answer; until then requests for the same id wait, and are 503 after some seconds.",
    keys: ["secret"],
    people: "approver",
    fresh: true,
    budget: "goals",
    tool: "It cannot be undone.",
    params: z.object({ id: pathIds.user }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const { app, db, projectId, now } = ctx;
    const user = await requireUser(ctx, params.id);
    // The id in the product goes, so the log of changes must not keep it.
    ctx.describe({ target: apiId("eu", user.userKey) });
    if (!(await erase(app, db, { projectId, now }, user))) throw new ApiError("not_found", "User not found");
  },
);
