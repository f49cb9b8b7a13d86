import { z } from "zod";
import { answerIds, eventName, pathIds } from "../../../domain/fields.ts";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../platform/http/contract/fields.ts";
import { requireCampaign } from "../../campaigns/authoring/public.ts";
import { StoredMessage } from "../../campaigns/authoring/schema.ts";
import { EarlierText, Statistics } from "../../statistics/schema.ts";
import { ConversionCounts, VariantConversions } from "../schema.ts";
import { countConversions } from "../store.ts";
import { readMeasured } from "./statistics.ts";
import { readContents } from "./statistics-store.ts";

const sumOf = (parts: readonly z.infer<typeof VariantConversions>[]): z.infer<typeof ConversionCounts> => ({
  exposedDeliveries: parts.reduce((sum, part) => sum + part.exposedDeliveries, 0),
  exposedUsers: parts.reduce((sum, part) => sum + part.exposedUsers, 0),
  convertedDeliveries: parts.reduce((sum, part) => sum + part.convertedDeliveries, 0),
  convertedUsers: parts.reduce((sum, part) => sum + part.convertedUsers, 0),
});

/** Former texts of a campaign (UUID) with what they said. */
async function withContents({ db, projectId }: Ctx, campaignId: string, earlier: readonly EarlierText[]) {
  const contents = earlier.length === 0 ? [] : await readContents(db, projectId, campaignId);
  return earlier.map((text) => {
    const found = contents.find(
      (each) => each.variantId === text.variantId && each.contentDigest === text.contentDigest,
    );
    // A stored message has the shape that its channel took.
    return { ...text, content: (found?.content ?? null) as z.input<typeof StoredMessage> | null };
  });
}

export const getCampaignConversions = endpoint(
  {
    id: "getCampaignConversions",
    method: "GET",
    path: "/api/v1/campaigns/{id}/conversions",
    tag: "Campaigns",
    summary: "Count who did something after a campaign's message, by variant",
    description:
      "Exact at `evaluatedAt`, for any event name. A delivery converts when its user did it at or after exposure; several events count once. `statistics` says what may be claimed, however often one looks.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    // A plot would fill what a model can read.
    tool: { name: "get_campaign_event_conversions", hides: ["series"] },
    oneInstant: true,
    cost: "heavy",
    params: z.object({ id: pathIds.campaign }),
    query: z.object({
      event: eventName.describe("The event to count, by its whole name."),
      series: z
        .enum(["day"])
        .optional()
        .describe("Adds what `statistics` would have said at the end of each past UTC day, at most 366."),
      earlier: z.enum(["texts"]).optional().describe("Adds former texts, and what had come of each."),
    }),
    result: z.object({
      campaignId: answerIds.campaign,
      event: z.string().max(80).meta({ description: "Name of the event.", example: "upgraded" }),
      evaluatedAt: epochMs,
      exposure: z
        .enum(["shownAt", "deliveredAt"])
        .describe("Which instant counts as exposure: `shownAt` on the web, `deliveredAt` otherwise."),
      totals: ConversionCounts.describe("Of all together."),
      variants: z.array(VariantConversions).max(10).describe("The variants."),
      statistics: Statistics.describe("What may be claimed, at any time and however often one looks."),
      earlier: z
        .array(
          EarlierText.extend({
            content: StoredMessage.nullable().describe(
              "The text; null where it was changed before former texts were kept.",
            ),
          }).meta({ id: "EarlierText" }),
        )
        .max(50)
        .optional()
        .describe(
          "Texts that were changed, newest first and at most 5 of each variant, where they were asked for.",
        ),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params, query: { event, series, earlier } }) => {
    const { db, projectId, now: evaluatedAt } = ctx;
    const campaign = await requireCampaign(ctx, params.id);
    const variants = await countConversions(db, projectId, { campaignId: campaign.id, event, evaluatedAt });
    const results = await readMeasured(db, campaign, { event, evaluatedAt, wantsSeries: series === "day" });
    return {
      campaignId: params.id,
      event,
      evaluatedAt,
      exposure: campaign.channel === "web_inapp" ? ("shownAt" as const) : ("deliveredAt" as const),
      totals: sumOf(variants),
      variants,
      statistics: results.statistics,
      ...(earlier === "texts" && { earlier: await withContents(ctx, campaign.id, results.earlier()) }),
    };
  },
);
