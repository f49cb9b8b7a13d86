import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../platform/http/contract/page.ts";
import { requireUser } from "../users/profiles/public.ts";
import { listUserDeliveries as selectUserDeliveries } from "./list-store.ts";
import { UserDelivery } from "./schema.ts";

export const listUserDeliveries = endpoint(
  {
    id: "listUserDeliveries",
    method: "GET",
    path: "/api/v1/users/{id}/deliveries",
    tag: "Users",
    summary: "List the messages for a user, newest queued first",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "goals",
    tool: "list_campaign_deliveries answers it, without all messages of one user.",
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.user }),
    query: z.object(pageQuery(20)),
    result: z.object({
      deliveries: z.array(UserDelivery).max(100).describe("The deliveries."),
      ...pageFields,
    }),
    errors: ["not_found"],
  },
  async (ctx, { params, query }) => {
    const user = await requireUser(ctx, params.id);
    const { deliveries, total } = await selectUserDeliveries(ctx.db, ctx.projectId, user, pageWindow(query));
    return { deliveries, ...pageAnswer(query, total) };
  },
);
