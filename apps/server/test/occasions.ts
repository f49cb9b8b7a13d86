import assert from "node:assert/strict";
import { deliveryId, userRef, uuidOf } from "../src/domain/ids.ts";
import { readAllocation } from "../src/features/campaigns/authoring/public.ts";
import { decisionOf } from "../src/features/deliveries/gates/list.ts";
import { drawVariant } from "../src/features/deliveries/public.ts";
import { insertSends, type NewSend } from "../src/features/email/sending/plan/plan-store.ts";
import { insertDeliveries } from "../src/features/web/feed-store.ts";
import { inTransaction } from "../src/platform/db/db.ts";
import type { TestHouse, TestProject } from "./harness.ts";

/** A campaign (`cmp_…`) of a project. */
export type PlaceOfCampaign = { project: TestProject; campaignId: string };

/** The id of the delivery of a campaign to a user on an occasion. */
export function deliveryTo(
  { project: { projectId }, campaignId }: PlaceOfCampaign,
  userId: string,
  occasion: number,
): string {
  const { userKey } = userRef(projectId, userId);
  return deliveryId({ userKey, campaignId: uuidOf("cmp", campaignId) ?? "", occasion });
}

/** What is decided for a user about a delivery on an occasion: the variant that they drew, in the epoch of now. */
async function decisionFor(
  house: TestHouse,
  { project: { projectId }, campaignId }: PlaceOfCampaign,
  userId: string,
) {
  const campaign = uuidOf("cmp", campaignId) ?? "";
  const allocation = await readAllocation(house.database.kysely, projectId, campaign);
  assert.ok(allocation);
  const user = userRef(projectId, userId);
  const variant = drawVariant(allocation.variants, campaign, user.userKey);
  assert.ok(variant);
  const decision = decisionOf(null, variant, allocation.current);
  return { ...user, projectId, campaignId: campaign, ...decision };
}

/** Queues mail of a campaign to a user on occasions, in one statement. */
export async function queueMail(
  house: TestHouse,
  place: PlaceOfCampaign,
  userId: string,
  occasions: readonly number[],
  more: Partial<Pick<NewSend, "heldOut" | "addressGivenAt">> = {},
): Promise<void> {
  const decided = await decisionFor(house, place, userId);
  const sends = occasions.map((occasion) => ({
    ...decided,
    occasion,
    now: house.now(),
    addressGivenAt: null,
    ...more,
  }));
  await inTransaction(house.database.hotPool, (client) => insertSends(client, sends));
}

/** Queues deliveries of a web campaign to a user on occasions, in one statement. */
export async function queueOnTheWeb(
  house: TestHouse,
  place: PlaceOfCampaign,
  userId: string,
  occasions: readonly number[],
): Promise<void> {
  const decided = await decisionFor(house, place, userId);
  const rows = occasions.map((occasion) => ({
    ...decided,
    occasion,
    externalId: userId,
    ts: house.now(),
  }));
  await insertDeliveries(house.database.hotPool, rows);
}

/** The states of a campaign's deliveries, by their ids. */
export async function statesOf({ project, campaignId }: PlaceOfCampaign): Promise<Record<string, string>> {
  const { deliveries } = await project.api.listCampaignDeliveries({
    path: { id: campaignId },
    query: { perPage: 100 },
  });
  return Object.fromEntries(deliveries.map(({ id, state }) => [id, state]));
}
