import { z } from "zod";
import { externalUserId } from "../../domain/fields.ts";
import { deliveryText, userRef } from "../../domain/ids.ts";
import { createBatch } from "../../platform/db/batch/batch.ts";
import { batchQueue } from "../../platform/db/batch/batch-queue.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { epochMs, text, userHash } from "../../platform/http/contract/fields.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { normalizePath } from "../campaigns/authoring/audience/pages.pure.ts";
import { servingOf } from "../counting/usage/public.ts";
import { keyOfRow } from "../deliveries/public.ts";
import type { FeedConfig } from "./config.ts";
import { decideFeed, type FeedDecision, type FeedQuery, present } from "./decide.ts";
import { readForFeed } from "./facts.ts";
import { type FeedFacts, insertDeliveries, type NewDelivery } from "./feed-store.ts";
import { countNeeds } from "./occurrences.ts";
import { markPageView } from "./page-views.ts";
import { InAppMessage, pagePath } from "./schema.ts";

/** Inserts or withholds the deliveries of one answer; answers whether all of them were new. */
const deliveryBatch = resource((app) =>
  createBatch<readonly NewDelivery[], boolean>({
    laneOf: ([row]) => row?.lane ?? 0,
    queue: batchQueue(app, "deliveries"),
    userOf: ([row]) => row?.userKey ?? "",
    async run(answers) {
      const made = await insertDeliveries(app.database.hotPool, answers.flat());
      const keys = new Set(made.map(keyOfRow));
      return answers.map((rows) => rows.every((row) => keys.has(deliveryText(row))));
    },
  }),
);

/** After the last reading, deliveries that could not be inserted are left out of the answer. */
const MAX_READINGS = 3;

/** Decides without single events first, and reads these only where the decision depends on them: most users fail other conditions. */
async function decideFor(
  app: App,
  config: FeedConfig,
  facts: FeedFacts,
  question: FeedQuery,
): Promise<FeedDecision> {
  const unread = { isNeeded: false };
  const decision = decideFeed(config, facts, unread, question);
  if (!unread.isNeeded) return decision;
  const { user, now } = question;
  // An unknown user has done nothing: events under the key belong to an erased user, and are being deleted.
  const isKnown = facts.firstSeenAt !== null;
  const counted = isKnown ? await countNeeds(app, { user, config, now }) : config.needs.count([], now);
  return decideFeed(config, facts, counted, question);
}

/** The messages that a user should see at an instant, each with its delivery, which is made where it is new. */
export async function serveMessages(app: App, question: FeedQuery): Promise<InAppMessage[]> {
  const { userKey, projectId } = question.user;
  await markPageView(app, projectId, question.now);
  for (let reading = 1; ; reading++) {
    // Read both at once, so that an organization whose state has to be read again adds no time.
    const [{ serving }, read] = await Promise.all([
      servingOf(app, projectId),
      readForFeed(app, question.user),
    ]);
    if (serving !== "ok" || read === null) return [];
    const { facts, config } = read;
    const { served, planned } = await decideFor(app, config, facts, question);
    if (planned.length === 0 || (await app.get(deliveryBatch).add(planned))) return present(served, userKey);
    // Another request inserted one of these deliveries, or the campaign was paused: decide again.
    if (reading === MAX_READINGS) {
      const unwritten = new Set(planned.map((row) => row.campaignId));
      return present(
        served.filter(({ campaignUuid }) => !unwritten.has(campaignUuid)),
        userKey,
      );
    }
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
      "Modals before toasts, then newest campaign first. Asking again answers the same deliveries until they are resolved. None while `serving` of the organization's usage is not `ok`. Without `path`, messages of page-limited campaigns come with their `pages` for the client to match.",
    keys: ["publishable"],
    budget: "messages",
    oneInstant: "It decides from one statement.",
    query: z.object({
      userId: externalUserId,
      entryId: text(256).optional().describe("Your id of the page view; answered as it was sent."),
      requestId: text(256).optional().describe("Your id of the request; answered as it was sent."),
      path: pagePath.optional().describe("Path of the page: only what belongs there is answered."),
      userHash: userHash.optional(),
    }),
    identifies: ({ query }) => query,
    result: z.object({
      messages: z.array(InAppMessage).max(100_000).describe("What the user should see, in this order."),
      userId: z.string().max(256).meta({ description: "The user's id in your product.", example: "ada" }),
      entryId: z.string().max(256).optional().describe("Your id of the page view; answered as it was sent."),
      requestId: z.string().max(256).optional().describe("Your id of the request; answered as it was sent."),
      evaluatedAt: epochMs,
    }),
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { query }) => {
    const { userId, entryId, requestId, path } = query;
    const messages = await serveMessages(ctx.app, {
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
