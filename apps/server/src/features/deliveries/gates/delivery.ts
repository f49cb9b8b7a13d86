import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { answerIds } from "../../../domain/fields.ts";
import { apiId, deliveryId, FIRST_OCCASION } from "../../../domain/ids.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { type CampaignStatus, type DeliveryWindow, placeInWindow } from "../../campaigns/authoring/rules.ts";
import { isCampaignOf, onFirstOccasion } from "../key-store.ts";
import { DELIVERY_STATES, type DeliveryState } from "../lifecycle/rules.ts";
import { gate } from "./gate.ts";
import { instantIn, quoted } from "./words.pure.ts";

/** The delivery that the user has. `isOpen`: whether more comes of it: it is still to be shown, or to be sent. */
type Delivery = { isOpen: boolean };

type Found = {
  delivery: (Delivery & { state: DeliveryState; variantId: string; queuedAt: number }) | null;
  userKey: string;
  now: number;
  campaign: DeliveryWindow & {
    id: string;
    status: CampaignStatus;
    variants: readonly { id: string; name: string }[];
  };
};

/** What is written where the delivery has decided already. */
export const HAS_DELIVERY = "The user has had the campaign already.";

/** What became of a delivery, after "it". */
const BECAME: Readonly<Record<DeliveryState, string>> = {
  queued: "has not reached them yet",
  sending: "is being sent",
  retryable: "could not be sent so far",
  frequency_capped: "was left out, because the address had had as many mails as the cap allows",
  withdrawn: "was withdrawn, because it was postponed for longer than the campaign has patience",
  sent: "was sent",
  delivered: "was delivered",
  shown: "was shown",
  opened: "was opened",
  clicked: "was clicked",
  dismissed: "was dismissed",
  bounced: "came back",
  complained: "was reported as spam",
  unsubscribed: "made the user unsubscribe",
  failed: "could not be sent",
  converted: "led to the goal",
};

/** What still becomes of a delivery. What has not left when its campaign is over stays so, unless it is on its way. */
function whatComes({ campaign, now }: Found, { state, isOpen }: NonNullable<Found["delivery"]>): string {
  if (!isOpen && state === "sending")
    return ", without an answer so far: it is never sent again by itself, and a person decides.";
  if (!isOpen) return ". A user gets a campaign once at most.";
  if (state === "sending") return ": it goes on.";
  if (campaign.status === "ended") return ", and never will: the campaign has ended.";
  return placeInWindow(campaign, now) === "over"
    ? ", and does not any more: its delivery is over."
    : ": it goes on.";
}

/** SQL: the user `u` of a plan has a delivery of a campaign (UUID). Looked up by itself: `offset 0` keeps that from becoming a join. */
export const hasDelivery = (campaignId: string): RawBuilder<boolean> =>
  sql`exists (
    select from ${t.deliveries} d where ${isCampaignOf("d", "u", campaignId)} and ${onFirstOccasion("d")} offset 0
  )`;

/** Whether the user has no delivery yet, or one of which more comes. */
export const deliveryGate = gate({
  gate: "delivery",
  asks: "is there a delivery already, and is it over?",
  stages: ["plan", "feed"],
  bucket: "delivered",
  shape: {
    delivery: z
      .strictObject({
        id: z.string().max(128).describe("Id of the delivery."),
        variantId: answerIds.variant,
        state: z.enum(DELIVERY_STATES).describe("Its latest resolution."),
        queuedAt: epochMs,
        isOpen: z.boolean().describe("Whether more comes of it: it is still to be shown, or to be sent."),
      })
      .nullable()
      .describe("The delivery that the user has already; null for none."),
  },
  passes: ({ delivery }: { delivery: Delivery | null }) => delivery === null || delivery.isOpen,
  sql: () => [{ when: sql`u.is_delivered`, bucket: "delivered" }],
  note(found: Found) {
    const { delivery, campaign } = found;
    if (delivery === null) return "The user has not had the campaign yet.";
    const { state, variantId, queuedAt } = delivery;
    const name = campaign.variants.find(({ id }) => id === variantId)?.name;
    const variant = name === undefined ? "" : `, with the variant ${quoted(name)}`;
    const had = `The campaign was queued for the user on ${instantIn(queuedAt)}${variant}, and ${BECAME[state]}`;
    return `${had}${whatComes(found, delivery)}`;
  },
  details({ delivery, userKey, campaign }: Found) {
    if (delivery === null) return { delivery };
    const { state, variantId, queuedAt, isOpen } = delivery;
    const id = deliveryId({ userKey, campaignId: campaign.id, occasion: FIRST_OCCASION });
    return { delivery: { id, variantId: apiId("var", variantId), state, queuedAt, isOpen } };
  },
});
