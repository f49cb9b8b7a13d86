import { z } from "zod";
import { anonymousId, externalUserId } from "../../domain/fields.ts";
import { deliveryText } from "../../domain/ids.ts";
import { isVisitorId } from "../../domain/visitors.pure.ts";
import { createBatch } from "../../platform/db/batch/batch.ts";
import { batchQueue } from "../../platform/db/batch/batch-queue.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { epochMs, text, userHash } from "../../platform/http/contract/fields.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";
import { NOTHING_READ } from "../audience/language/engines/needs.pure.ts";
import { normalizePath } from "../campaigns/authoring/audience/pages.pure.ts";
import { servingOf } from "../counting/usage/public.ts";
import { keyOfRow } from "../deliveries/public.ts";
import { actAs, mustBeProven } from "../users/identities/public.ts";
import { claimOf, faultOfNames, type Named } from "../users/identities/schema.ts";
import { seeAgain } from "../users/profiles/public.ts";
import type { FeedConfig } from "./config.ts";
import { decideFeed, type FeedDecision, type FeedQuery, present } from "./decide.ts";
import { readForFeed } from "./facts.ts";
import { type FeedFacts, type FeedReader, insertDeliveries, type NewDelivery } from "./feed-store.ts";
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

/** How long a visitor who only asks for messages is not seen again: far shorter than any time for which a project may keep visitors. */
const SEEN_AGAIN_MS = 6 * HOUR_MS;

const seenBatch = resource((app) =>
  createBatch<FeedReader & { now: number }, object>({
    laneOf: ({ lane }) => lane,
    keyOf: ({ userKey }) => userKey,
    queue: batchQueue(app, "visits"),
    run: (rows) => seeAgain(app.database.hotPool, rows),
  }),
);

/** Whether to write down that a visitor is there: one who asks for messages comes back, whatever else they do, and must not be forgotten. */
const isSeenAgain = ({ externalId, now }: FeedQuery, lastSeenAt: number | null): boolean =>
  isVisitorId(externalId) && lastSeenAt !== null && now - lastSeenAt >= SEEN_AGAIN_MS;

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
  const counted = isKnown
    ? await countNeeds(app, { user, config, now })
    : config.needs.count(NOTHING_READ, now);
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
    if (reading === 1 && isSeenAgain(question, facts.lastSeenAt))
      await app.get(seenBatch).add({ ...question.user, now: question.now });
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

/** The header in which a visitor's id comes. */
const VISITOR_HEADER = "X-Anonymous-Id";

export const getMessages = endpoint(
  {
    id: "getMessages",
    method: "GET",
    path: "/api/v1/messages",
    tag: "SDK",
    summary: "The messages a user should see now",
    description:
      "Modals before toasts, then newest campaign first. A visitor who is not signed in is named by the header `X-Anonymous-Id` in place of `userId`, because their id must be in no address. Asking again answers the same deliveries until they are resolved. None while `serving` of the organization's usage is not `ok`. Without `path`, messages of page-limited campaigns come with their `pages` for the client to match.",
    keys: ["publishable"],
    budget: "messages",
    oneInstant: "It decides from one statement.",
    query: z.object({
      userId: externalUserId.optional(),
      entryId: text(256).optional().describe("Your id of the page view; answered as it was sent."),
      requestId: text(256).optional().describe("Your id of the request; answered as it was sent."),
      path: pagePath.optional().describe("Path of the page: only what belongs there is answered."),
      userHash: userHash.optional(),
    }),
    secretHeader: { name: VISITOR_HEADER, field: anonymousId },
    identifies: ({ query, secret }) => claimOf({ ...query, anonymousId: secret ?? undefined }),
    result: z.object({
      messages: z.array(InAppMessage).max(100_000).describe("What the user should see, in this order."),
      userId: z
        .string()
        .max(256)
        .optional()
        .meta({ description: "The user's id in your product; not there for a visitor.", example: "ada" }),
      anonymousId: z
        .string()
        .max(256)
        .optional()
        .describe("The visitor's id, where the request is that of a visitor."),
      entryId: z.string().max(256).optional().describe("Your id of the page view; answered as it was sent."),
      requestId: z.string().max(256).optional().describe("Your id of the request; answered as it was sent."),
      evaluatedAt: epochMs,
    }),
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { query, secret }) => {
    const { userId, entryId, requestId, path } = query;
    const named: Named = { userId, anonymousId: secret ?? undefined };
    const fault = faultOfNames(named, VISITOR_HEADER);
    if (fault !== null) throw new ApiError("invalid_request", fault);
    const messages = await actAs(ctx.app, ctx.projectId, named, (person) =>
      mustBeProven(ctx, person)
        ? Promise.resolve([])
        : serveMessages(ctx.app, {
            user: person,
            externalId: person.externalId,
            path: path === undefined ? null : normalizePath(path),
            now: ctx.now,
          }),
    );
    return {
      messages,
      ...(userId === undefined ? {} : { userId }),
      ...(secret === null ? {} : { anonymousId: secret }),
      ...(entryId === undefined ? {} : { entryId }),
      ...(requestId === undefined ? {} : { requestId }),
      evaluatedAt: ctx.now,
    };
  },
);
