import { z } from "zod";
import { createBatch } from "../../platform/db/batch.ts";
import { endpoint } from "../../platform/http/endpoint.ts";
import { epochMs, externalUserId, text } from "../../platform/http/fields.ts";
import { userRef } from "../../platform/ids.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { normalizePath } from "../campaigns/pages.ts";
import { type FeedConfig, feedConfigs } from "./config.ts";
import { decide, present, type Question } from "./decide.ts";
import {
  type FactsQuestion,
  type FeedFacts,
  insertDeliveries,
  type NewDelivery,
  readFacts,
} from "./feed-store.ts";
import { InAppMessage } from "./schema.ts";

const factsBatch = resource((app) =>
  createBatch<FactsQuestion, FeedFacts | undefined>({
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

/** Two readings that both find their plan overtaken are followed by one that leaves out what was not written. */
const MAX_READINGS = 3;

/** The configuration that holds now, and the facts that its audiences ask for; null when there is no such project. */
async function read(
  app: App,
  { user, now }: Question,
): Promise<{ config: FeedConfig; facts: FeedFacts } | null> {
  const configs = app.get(feedConfigs);
  let config = await configs(user.projectId, 0);
  for (;;) {
    const { needs } = config;
    const facts = await app.get(factsBatch).add({ ...user, evaluatedAt: now, needs });
    if (facts === undefined) return null;
    // Whoever reads the facts learns which configuration holds, and may have to ask for what that one needs.
    config = await configs(user.projectId, facts.configVersion);
    if (config.needs === needs) return { config, facts };
  }
}

async function serve(app: App, question: Question): Promise<InAppMessage[]> {
  const { userKey } = question.user;
  for (let reading = 1; ; reading++) {
    const known = await read(app, question);
    if (known === null) return [];
    const { served, planned } = decide(known.config, known.facts, question);
    if (planned.length === 0 || (await app.get(deliveryBatch).add(planned))) return present(served, userKey);
    // Overtaken: another request made one of these deliveries, or the campaign was paused. What stands now decides.
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
    const messages = await serve(ctx.app, {
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
