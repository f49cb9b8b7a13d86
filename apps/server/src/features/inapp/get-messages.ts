import { z } from "zod";
import { createBatch } from "../../platform/db/batch.ts";
import { endpoint } from "../../platform/http/endpoint.ts";
import { epochMs, externalUserId, text } from "../../platform/http/fields.ts";
import { userRef } from "../../platform/ids.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { countOccurrences, MAX_READ_EVENTS } from "../audience/public.ts";
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

type Known = { config: FeedConfig; facts: FeedFacts; occurrences: readonly number[] };

/** How often each need was met: counted here from the events that were read, or in SQL where they are too many. */
async function count(
  app: App,
  { user, now }: Question,
  { needs }: FeedConfig,
  facts: FeedFacts,
): Promise<number[]> {
  const timely = facts.timely ?? [];
  const propertied = facts.propertied ?? [];
  if (timely.length <= MAX_READ_EVENTS && propertied.length <= MAX_READ_EVENTS)
    return needs.count(propertied.length === 0 ? timely : [...timely, ...propertied], now);
  const asked = { ...user, evaluatedAt: now, needs: needs.json() ?? "[]" };
  const [counted] = await countOccurrences(app.database.hotPool, [asked]);
  return counted?.occurrences ?? [];
}

/** The configuration that holds now, and the facts that its audiences ask for; null when there is no such project. */
async function read(app: App, question: Question): Promise<Known | null> {
  const { user, now } = question;
  const configs = app.get(feedConfigs);
  let config = await configs(user.projectId, 0);
  for (;;) {
    const { timely, propertied, reachMs } = config.reading;
    const since = Number.isFinite(reachMs) ? now - reachMs : 0;
    const facts = await app.get(factsBatch).add({ ...user, since, timely, propertied });
    if (facts === undefined) return null;
    // Whoever reads the facts learns which configuration holds, and may have to read what that one needs.
    const current = await configs(user.projectId, facts.configVersion);
    if (current === config || current.needs.json() === config.needs.json())
      return { config: current, facts, occurrences: await count(app, question, current, facts) };
    config = current;
  }
}

async function serve(app: App, question: Question): Promise<InAppMessage[]> {
  const { userKey } = question.user;
  for (let reading = 1; ; reading++) {
    const known = await read(app, question);
    if (known === null) return [];
    const { served, planned } = decide(known.config, known.facts, known.occurrences, question);
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
