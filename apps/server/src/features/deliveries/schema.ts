import { z } from "zod";
import { count, epochMs } from "../../platform/http/contract/fields.ts";
import { MAX_TITLE, StoredStatus } from "../campaigns/authoring/schema.ts";
import { DELIVERY_STATES } from "./lifecycle/rules.ts";

/** The state of a delivery. Its instants are separate: an event that does not change the state still has its instant. */
export const deliveryState = z.enum(DELIVERY_STATES);

const id = z.string().max(128);
const at = epochMs.nullable();
const variantTitle = z
  .string()
  .max(MAX_TITLE)
  .nullable()
  .describe(
    "What users without traits read first of the variant's message. Null where its text was changed since this was decided.",
  );

/** One campaign for one user. */
export const Delivery = z
  .object({
    id,
    endUserId: id,
    externalUserId: z.string().max(256),
    variantId: id,
    variantName: z.string().max(40),
    variantTitle,
    state: deliveryState,
    queuedAt: epochMs,
    sentAt: at,
    deliveredAt: at,
    shownAt: at,
    openedAt: at,
    clickedAt: at,
    dismissedAt: at,
    bouncedAt: at,
    complainedAt: at,
    unsubscribedAt: at,
    convertedAt: at,
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof Delivery>;

/** A delivery in the list of one user. */
export const UserDelivery = z
  .object({
    id,
    campaignId: id,
    campaignName: z.string().max(80),
    campaignStatus: StoredStatus.describe(
      "Of a campaign that is `ended`, a delivery that is `queued` or `retryable` never leaves.",
    ),
    variantId: id,
    variantName: z.string().max(40),
    variantTitle,
    state: deliveryState,
    queuedAt: epochMs,
  })
  .meta({ id: "UserDelivery" });
export type UserDelivery = z.infer<typeof UserDelivery>;

const conversionCounts = {
  exposedDeliveries: count,
  exposedUsers: count,
  convertedDeliveries: count,
  convertedUsers: count,
};

/** How many users were exposed, and how many of them then did an event, at one instant. */
export const ConversionCounts = z.object(conversionCounts).meta({ id: "ConversionCounts" });
export const VariantConversions = z
  .object({ variantId: id, variantName: z.string().max(40), ...conversionCounts })
  .meta({ id: "VariantConversions" });
export type VariantConversions = z.infer<typeof VariantConversions>;

/** How many ids one question names at most. */
export const MAX_CAMPAIGNS = 100;

const results = {
  sent: count.describe(
    "Handed over and answered, whatever became of it then: those that came back are among them.",
  ),
  delivered: count.describe("Arrived, and did not come back."),
  bounced: count.describe("Came back, or were refused because there is no such address."),
  shown: count,
  opened: count,
  clicked: count,
  dismissed: count,
  complained: count,
  unsubscribed: count,
  frequencyCapped: count,
  converted: count
    .nullable()
    .describe(
      "Users who did the goal's event within its window after they were exposed; null where no goal counts an event.",
    ),
};

/** What a campaign came to, as people count it. */
export const Results = z.object(results).meta({ id: "Results" });
export type Results = z.infer<typeof Results>;

export const CampaignResults = z
  .object({
    campaignId: id,
    event: z.string().max(80).nullable().describe("What converts a user: the event of the campaign's goal."),
    attributionDays: z.int().nullable().describe("How many days after the exposure it counts."),
    totals: Results,
    variants: z.array(z.object({ variantId: id, ...results }).meta({ id: "VariantResults" })).max(10),
  })
  .meta({ id: "CampaignResults" });
export type CampaignResults = z.infer<typeof CampaignResults>;
