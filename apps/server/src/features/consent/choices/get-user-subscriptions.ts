import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { requireUser } from "../../users/profiles/public.ts";
import { TopicSubscriptions } from "./schema.ts";
import { addressOfUser } from "./user-address.ts";
import { readSubscriptions } from "./view.ts";

export const getUserSubscriptions = endpoint(
  {
    id: "getUserSubscriptions",
    method: "GET",
    path: "/api/v1/users/{id}/subscriptions",
    tag: "Topics",
    summary: "Say which topics a user gets",
    keys: ["secret"],
    people: "viewer",
    budget: "subscriptions",
    oneInstant: true,
    tool: "It is about a single person, which is for people to look at.",
    params: z.object({ id: pathIds.user }),
    result: z.object({ subscriptions: TopicSubscriptions.describe("What they get.") }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const user = await requireUser(ctx, params.id);
    const to = addressOfUser(ctx.projectId, user);
    return { subscriptions: await readSubscriptions(ctx.db, ctx.projectId, user, to) };
  },
);
