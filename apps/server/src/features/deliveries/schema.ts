import { z } from "zod";
import { answerIds, example } from "../../domain/fields.ts";
import { count, epochMs } from "../../platform/http/contract/fields.ts";
import { CampaignStats, MAX_TITLE, StoredStatus } from "../campaigns/authoring/schema.ts";
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
    id: id.meta({ description: "Id of the delivery.", example: example.delivery }),
    endUserId: answerIds.user,
    externalUserId: answerIds.externalUser,
    variantId: answerIds.variant,
    variantName: z.string().max(40).meta({ description: "Name of the variant.", example: "A" }),
    variantTitle: variantTitle.meta({ example: "Twice the reports, half the price" }),
    state: deliveryState.meta({ description: "Its latest resolution.", example: "clicked" }),
    queuedAt: epochMs,
    sentAt: at.describe("When it left, epoch milliseconds; null until then."),
    deliveredAt: at.describe("When it arrived, epoch milliseconds; null until then."),
    shownAt: at.describe("When it was first shown, epoch milliseconds; null until then."),
    openedAt: at.describe("When it was opened, epoch milliseconds; null until then."),
    clickedAt: at.describe("When it was clicked, epoch milliseconds; null until then."),
    dismissedAt: at.describe("When the user closed it, epoch milliseconds; null until then."),
    bouncedAt: at.describe("When it bounced, epoch milliseconds; null until then."),
    complainedAt: at.describe("When it was reported as spam, epoch milliseconds; null until then."),
    unsubscribedAt: at.describe("When the user unsubscribed with it, epoch milliseconds; null until then."),
    convertedAt: at.describe("When it converted, epoch milliseconds; null until then."),
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof Delivery>;

/** A delivery in the list of one user. */
export const UserDelivery = z
  .object({
    id: id.meta({ description: "Id of the delivery.", example: example.delivery }),
    campaignId: answerIds.campaign,
    campaignName: z.string().max(80).meta({ description: "Its name.", example: "Offer the pro plan" }),
    campaignStatus: StoredStatus.describe(
      "Of a campaign that is `ended`, a delivery that is `queued` or `retryable` never leaves.",
    ),
    variantId: answerIds.variant,
    variantName: z.string().max(40).meta({ description: "Name of the variant.", example: "A" }),
    variantTitle: variantTitle.meta({ example: "Twice the reports, half the price" }),
    state: deliveryState.meta({ description: "Its latest resolution.", example: "clicked" }),
    queuedAt: epochMs,
  })
  .meta({ id: "UserDelivery" });
export type UserDelivery = z.infer<typeof UserDelivery>;

const conversionCounts = {
  exposedDeliveries: count.meta({ description: "Deliveries that their user met.", example: 90 }),
  exposedUsers: count.meta({ description: "Users who met the message.", example: 90 }),
  convertedDeliveries: count.meta({
    description: "Deliveries whose user did it at or after exposure.",
    example: 9,
  }),
  convertedUsers: count.meta({ description: "Users who did it at or after exposure.", example: 9 }),
};

/** How many users were exposed, and how many of them then did an event, at one instant. */
export const ConversionCounts = z.object(conversionCounts).meta({ id: "ConversionCounts" });
export const VariantConversions = z
  .object({
    variantId: answerIds.variant,
    variantName: z.string().max(40).meta({ description: "Name of the variant.", example: "A" }),
    ...conversionCounts,
  })
  .meta({ id: "VariantConversions" });
export type VariantConversions = z.infer<typeof VariantConversions>;

/** How many ids one question names at most. */
export const MAX_CAMPAIGNS = 100;

/** What people count as deliveries do. */
const { shown, opened, clicked, dismissed, complained, unsubscribed, frequencyCapped } = CampaignStats.shape;

const results = {
  sent: count.meta({
    description: "Handed over and answered, whatever became of it then: those that came back are among them.",
    example: 100,
  }),
  delivered: count.meta({ description: "Arrived, and did not come back.", example: 98 }),
  bounced: count.meta({
    description: "Came back, or were refused because there is no such address.",
    example: 0,
  }),
  shown,
  opened,
  clicked,
  dismissed,
  complained,
  unsubscribed,
  frequencyCapped,
  converted: count.nullable().meta({
    description:
      "Users who did the goal's event within its window after they were exposed; null where no goal counts an event.",
    example: 9,
  }),
};

/** What a campaign came to, as people count it. */
export const Results = z.object(results).meta({ id: "Results" });
export type Results = z.infer<typeof Results>;

export const CampaignResults = z
  .object({
    campaignId: answerIds.campaign,
    event: z
      .string()
      .max(80)
      .nullable()
      .meta({ description: "What converts a user: the event of the campaign's goal.", example: "upgraded" }),
    attributionDays: z.int().nullable().describe("How many days after the exposure it counts."),
    totals: Results.describe("Of all together."),
    variants: z
      .array(z.object({ variantId: answerIds.variant, ...results }).meta({ id: "VariantResults" }))
      .max(10)
      .describe("The variants."),
  })
  .meta({ id: "CampaignResults" });
export type CampaignResults = z.infer<typeof CampaignResults>;
