import { z } from "zod";
import { answerIds, example } from "../../domain/fields.ts";
import { count, epochMs } from "../../platform/http/contract/fields.ts";

const id = z.string().max(128);
const ActivityUser = z.object({
  id: id.meta({ description: "Id of the user in Tidings.", example: example.user }),
  externalUserId: answerIds.externalUser,
});
const name = z.string().max(80);
const ActivityCampaign = z.object({
  id: id.meta({ description: "Id of the campaign.", example: example.campaign }),
  name: name.meta({ description: "Its name.", example: "Offer the pro plan" }),
});
const ActivityVariant = z.object({
  id: id.meta({ description: "Id of the variant.", example: example.variant }),
  name: name.meta({ description: "Name of the variant.", example: "A" }),
});

/** How far back a report goes. */
export const range = z.enum(["7d", "30d", "90d"]).default("30d");

/** Something that happened in a project: a user got a delivery, or was seen for the first time. */
export const ActivityItem = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("delivery").describe("Which kind it is of."),
      id: id.meta({ description: "Id of the delivery, or of the user.", example: example.delivery }),
      occurredAt: epochMs,
      user: ActivityUser.describe("The user."),
      campaign: ActivityCampaign.describe("The campaign."),
      variant: ActivityVariant.describe("The variant."),
    }),
    z.object({
      kind: z.literal("user").describe("Which kind it is of."),
      id: id.describe("Id of the delivery, or of the user."),
      occurredAt: epochMs,
      user: ActivityUser.describe("The user."),
    }),
  ])
  .meta({ id: "ActivityItem" });
export type ActivityItem = z.infer<typeof ActivityItem>;

/** The counts of a period of time: steps of deliveries, each by its own instant, and events. */
export const MetricTotals = z
  .object({
    impressions: count.meta({ description: "Messages that were shown for the first time.", example: 90 }),
    clicks: count.meta({ description: "Messages that were clicked for the first time.", example: 12 }),
    conversions: count.meta({ description: "Deliveries that converted.", example: 9 }),
    events: count.meta({ description: "Events that were tracked.", example: 40 }),
  })
  .meta({ id: "MetricTotals" });
export type MetricTotals = z.infer<typeof MetricTotals>;

export const MetricDay = MetricTotals.extend({ startAt: epochMs }).meta({ id: "MetricDay" });
