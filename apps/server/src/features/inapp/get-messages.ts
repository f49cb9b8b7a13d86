import { z } from "zod";
import { createBatch } from "../../platform/db/batch.ts";
import { type Ctx, endpoint } from "../../platform/http/endpoint.ts";
import { epochMs, externalUserId, text } from "../../platform/http/fields.ts";
import { apiId, deliveryId, userRef } from "../../platform/ids.ts";
import { resource } from "../../platform/runtime.ts";
import type { UserFacts } from "../audience/compile.ts";
import { normalizePath } from "../campaigns/pages.ts";
import { pointOf } from "../deliveries/public.ts";
import { chooseVariant } from "../deliveries/rules.ts";
import { type FeedCampaign, type FeedConfig, feedConfigs } from "./config.ts";
import {
  type FeedFacts,
  type FeedReader,
  insertDeliveries,
  type NewDelivery,
  readFacts,
} from "./feed-store.ts";
import { presentationOf } from "./rules.ts";
import { InAppMessage } from "./schema.ts";

const factsBatch = resource((app) =>
  createBatch<FeedReader, FeedFacts | undefined>({
    laneOf: (row) => row.lane,
    run: (rows) => readFacts(app.database.hotPool, rows),
  }),
);

/** Makes the deliveries of one answer; says whether every one of them was made just now. */
const deliveryBatch = resource((app) =>
  createBatch<readonly NewDelivery[], boolean>({
    laneOf: ([row]) => row?.lane ?? 0,
    async run(answers) {
      const made = await insertDeliveries(app.database.hotPool, answers.flat());
      const keys = new Set(made.map((row) => row.user_key + row.campaign_id));
      return answers.map((rows) => rows.every((row) => keys.has(row.userKey + row.campaignId)));
    },
  }),
);

const NO_FACTS: UserFacts = { traits: {}, eventCounts: {} };

const factsOf = ({ traits, counts }: FeedFacts): UserFacts => ({
  traits: traits ?? NO_FACTS.traits,
  eventCounts: counts === null ? NO_FACTS.eventCounts : Object.fromEntries(counts),
});

type Question = { user: FeedReader; externalId: string; path: string | null; now: number };

/** What to answer, and what has to be written first. Open deliveries come again; new ones follow the audience. */
function decide(config: FeedConfig, facts: FeedFacts, { user, externalId, path, now }: Question) {
  const existing = new Map(
    facts.deliveries?.map(([campaign, variant, open]) => [campaign, { variant, open }]),
  );
  const userFacts = factsOf(facts);
  const served: { campaign: FeedCampaign; variant: FeedCampaign["variants"][number] }[] = [];
  const planned: NewDelivery[] = [];
  for (const campaign of config.campaigns) {
    if (now < campaign.deliverFrom || now >= campaign.deliverUntil) continue;
    if (path !== null && !campaign.onPage(path)) continue;
    const delivery = existing.get(campaign.uuid);
    if (delivery !== undefined) {
      const variant = delivery.open ? campaign.variantById.get(delivery.variant) : undefined;
      if (variant !== undefined) served.push({ campaign, variant });
      continue;
    }
    if (!campaign.matches(userFacts)) continue;
    const variant = chooseVariant(campaign.variants, pointOf(campaign.uuid, user.userKey));
    if (variant === null) continue;
    served.push({ campaign, variant });
    planned.push({ ...user, externalId, campaignId: campaign.uuid, variantId: variant.id, ts: now });
  }
  return { served, planned };
}

/** Two readings that both find their plan overtaken are followed by one that writes nothing new. */
const MAX_READINGS = 3;

async function serve(ctx: Ctx, question: Question): Promise<InAppMessage[]> {
  const { app } = ctx;
  for (let reading = 1; ; reading++) {
    const facts = await app.get(factsBatch).add(question.user);
    if (facts === undefined) return [];
    const config = await app.get(feedConfigs)(ctx.projectId, facts.configVersion);
    const { served, planned } = decide(config, facts, question);
    // Overtaken: another request made one of these deliveries, or the campaign was paused. What stands now decides.
    const written = planned.length === 0 || (await app.get(deliveryBatch).add(planned));
    if (!written && reading < MAX_READINGS) continue;
    const unwritten = new Set(written ? [] : planned.map((row) => row.campaignId));
    return served
      .filter(({ campaign }) => !unwritten.has(campaign.uuid))
      .map(({ campaign, variant }) => ({
        deliveryId: deliveryId(question.user.userKey, campaign.uuid),
        campaignId: campaign.id,
        variantId: apiId("var", variant.id),
        pages: campaign.pages,
        content: { ...variant.content, presentation: presentationOf(variant.content) },
      }))
      .sort(
        (a, b) => Number(b.content.presentation === "modal") - Number(a.content.presentation === "modal"),
      );
  }
}

export const getMessages = endpoint(
  {
    id: "getMessages",
    method: "GET",
    path: "/api/v1/messages",
    tag: "SDK",
    summary: "The messages a user should see now",
    description:
      "Modals before toasts, then newest campaign first. Asking again answers the same deliveries until they are resolved. Without `path`, messages of page-limited campaigns come with their `pages` for the client to match.",
    keys: ["publishable"],
    budget: "messages",
    query: z.object({
      userId: externalUserId,
      entryId: text(256).optional(),
      requestId: text(256).optional(),
      path: text(2_048)
        .refine((path) => path.startsWith("/"), "must start with /")
        .optional(),
    }),
    result: z.object({
      messages: z.array(InAppMessage).max(100_000),
      userId: z.string().max(256),
      entryId: z.string().max(256).optional(),
      requestId: z.string().max(256).optional(),
      evaluatedAt: epochMs,
    }),
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { query }) => {
    const { userId, entryId, requestId, path } = query;
    const messages = await serve(ctx, {
      user: { ...userRef(ctx.projectId, userId), projectId: ctx.projectId },
      externalId: userId,
      path: path === undefined ? null : normalizePath(path),
      now: ctx.now,
    });
    return {
      messages,
      userId,
      ...(entryId === undefined ? {} : { entryId }),
      ...(requestId === undefined ? {} : { requestId }),
      evaluatedAt: ctx.now,
    };
  },
);
