import assert from "node:assert/strict";
import { deliveryId, FIRST_OCCASION, uuidFor } from "../../src/domain/ids.ts";
import type { Received } from "../webhooks.ts";
import { FEEDBACK_TYPES } from "./model.ts";
import type { Stage } from "./stage.ts";

/** Each thing that became of a delivery was announced once, and nothing else; of users who were erased no message says any more which it was. */
export async function compareAnnounced(
  { house, model }: Stage,
  received: readonly Received[],
): Promise<void> {
  await house.drain();
  const byDelivery = Map.groupBy(received, ({ data }) => data.deliveryId);
  for (const { user, campaign, queuedAt, at } of model.deliveries) {
    if (user === null) continue;
    const campaignId = uuidFor("cmp", campaign.id);
    const id = deliveryId({ userKey: user.key, campaignId, occasion: FIRST_OCCASION });
    // A user who was erased and came back has the same key, and so have their deliveries.
    const announced = (byDelivery.get(id) ?? []).filter((message) => message.at >= queuedAt);
    const expected = FEEDBACK_TYPES.filter((type) => at[type] !== null).map((type) => [type, at[type]]);
    const came = announced.map((message) => [message.type.slice("delivery.".length), message.at]);
    assert.deepEqual(
      came.map(String).sort(),
      expected.map(String).sort(),
      `announced of ${id}, of ${user.id}`,
    );
  }
}
