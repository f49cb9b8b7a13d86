import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { isInstant, isKey } from "../../platform/http/contract/cursor.pure.ts";
import {
  cursorFields,
  cursorOf,
  cursorQuery,
  readCursor,
  searchedFields,
} from "../../platform/http/contract/cursor.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../platform/http/contract/page.ts";
import { requireCampaign } from "../campaigns/authoring/public.ts";
import { type DeliveryPlace, listDeliveries } from "./list-store.ts";
import { isOccasion } from "./rules.ts";
import { Delivery, deliveryState } from "./schema.ts";

const placeOf = ([queuedAt, userKey, occasion]: readonly unknown[]): DeliveryPlace | null =>
  isInstant(queuedAt) && isKey(userKey) && isOccasion(occasion) ? { queuedAt, userKey, occasion } : null;

export const listCampaignDeliveries = endpoint(
  {
    id: "listCampaignDeliveries",
    method: "GET",
    path: "/api/v1/campaigns/{id}/deliveries",
    tag: "Campaigns",
    summary: "List the deliveries of a campaign, newest first",
    description:
      "With `state`, the newest 100,000 are looked at: where these were not all (`searchedAll`), `total` is of these.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: { hides: ["cursor"] },
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.campaign }),
    query: z.object({
      state: deliveryState.optional().describe("Only deliveries in this state."),
      ...pageQuery(),
      ...cursorQuery,
    }),
    result: z.object({
      deliveries: z.array(Delivery).max(100).describe("The deliveries."),
      ...pageFields,
      ...cursorFields,
      ...searchedFields,
    }),
    errors: ["not_found"],
  },
  async (ctx, { params, query }) => {
    const { app, db, projectId } = ctx;
    const campaign = await requireCampaign(ctx, params.id);
    const { rows, total, searchedAll, next } = await listDeliveries(db, projectId, {
      campaignId: campaign.id,
      state: query.state ?? null,
      after: readCursor(query.cursor, placeOf),
      ...pageWindow(query),
      among: app.config.limits.deliveriesSearched,
    });
    return {
      deliveries: rows,
      ...pageAnswer(query, total),
      nextCursor: next === null ? null : cursorOf([next.queuedAt, next.userKey, next.occasion]),
      searchedAll,
    };
  },
);
