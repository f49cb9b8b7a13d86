import { z } from "zod";
import { apiId, deliveryId } from "../../domain/ids.ts";
import { cursorFields, cursorOf, cursorQuery, readCursor } from "../../platform/http/contract/cursor.ts";
import { type Ctx, endpoint } from "../../platform/http/contract/endpoint.ts";
import { epochMs, queryInt } from "../../platform/http/contract/fields.ts";
import { type Position, positionOf } from "./rules.ts";
import { ActivityItem } from "./schema.ts";
import { listNewDeliveries, listNewUsers, type NewUser, type RecentDelivery } from "./store.ts";

const MAX_ITEMS = 50;

/** An item and its position in the order. */
type Placed = { item: ActivityItem; position: Position };

const userOf = (userKey: string, externalId: string | null): { id: string; externalUserId: string } => ({
  id: apiId("eu", userKey),
  externalUserId: externalId ?? "",
});

const deliveryItem = ({
  at,
  userKey,
  externalId,
  campaignId,
  occasion,
  ...names
}: RecentDelivery): Placed => ({
  position: { kind: "delivery", at, userKey, campaignId, occasion },
  item: {
    kind: "delivery",
    id: deliveryId({ userKey, campaignId, occasion }),
    occurredAt: at,
    user: userOf(userKey, externalId),
    campaign: { id: apiId("cmp", campaignId), name: names.campaignName },
    variant: { id: apiId("var", names.variantId), name: names.variantName },
  },
});

const userItem = ({ at, userKey, externalId }: NewUser): Placed => ({
  position: { kind: "user", at, userKey },
  item: { kind: "user", id: apiId("eu", userKey), occurredAt: at, user: userOf(userKey, externalId) },
});

/** The items after a position: one more than `limit`, which shows whether there is a next page. */
async function itemsAfter(ctx: Ctx, after: Position | null, limit: number): Promise<Placed[]> {
  const deliveries = await listNewDeliveries(ctx.db, ctx.projectId, after, limit + 1);
  const users = await listNewUsers(ctx.db, ctx.projectId, after, limit + 1);
  // Both lists are in order, and `sort` is stable: at equal instants, deliveries stay before users.
  return [...deliveries.map(deliveryItem), ...users.map(userItem)]
    .sort((a, b) => b.item.occurredAt - a.item.occurredAt)
    .slice(0, limit + 1);
}

export const listActivity = endpoint(
  {
    id: "listActivity",
    method: "GET",
    path: "/api/v1/activity",
    tag: "Reports",
    summary: "What happened last",
    description:
      "Deliveries when they were made, and users when they were first seen. Newest first; of one moment deliveries before users, then by id. The cursor names the last item, so that no page repeats one.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "reports",
    tool: "The dashboard draws it, and other tools answer the same questions.",
    oneInstant: true,
    cost: "heavy",
    query: z.object({
      limit: queryInt(1, MAX_ITEMS, 10).describe("How many to answer at most."),
      ...cursorQuery,
    }),
    result: z.object({
      items: z.array(ActivityItem).max(MAX_ITEMS).describe("What happened, newest first."),
      ...cursorFields,
      evaluatedAt: epochMs,
    }),
  },
  async (ctx, { query: { limit, cursor } }) => {
    const placed = await itemsAfter(ctx, readCursor(cursor, positionOf), limit);
    const page = placed.slice(0, limit);
    const last = placed.length > limit ? page.at(-1) : undefined;
    return {
      items: page.map(({ item }) => item),
      nextCursor: last === undefined ? null : cursorOf(Object.values(last.position)),
      evaluatedAt: ctx.now,
    };
  },
);
