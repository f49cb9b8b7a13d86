import { z } from "zod";
import { example } from "../../domain/fields.ts";
import { apiId, type DeliveryKey, deliveryText, parseDeliveryId } from "../../domain/ids.ts";
import { anonymousIdOf, isVisitorId } from "../../domain/visitors.pure.ts";
import { createBatch } from "../../platform/db/batch/batch.ts";
import { batchQueue } from "../../platform/db/batch/batch-queue.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId, text, userHash } from "../../platform/http/contract/fields.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { newUuid } from "../../platform/uuid.ts";
import { wakeAfterDelta } from "../counting/rollups/public.ts";
import { activePeriods } from "../counting/usage/public.ts";
import { linkedUser, personKey } from "../users/identities/public.ts";
import { claimOf, type Named, namesPerson, namesTwo, personFields } from "../users/identities/schema.ts";
import { applyFeedback, type Feedback, type FeedbackOutcome } from "./feedback-store.ts";
import { resolves } from "./rules.ts";
import { FeedbackReceipt, FeedbackType } from "./schema.ts";

const feedbackBatch = resource((app) =>
  createBatch<Feedback, FeedbackOutcome | undefined>({
    laneOf: (row) => row.lane,
    keyOf: deliveryText,
    queue: batchQueue(app, "feedback"),
    userOf: (row) => row.userKey,
    async run(rows) {
      const outcomes = await applyFeedback(app.config.limits.deliveryReceipts)(app.database.hotPool, rows);
      wakeAfterDelta(app);
      return outcomes;
    },
  }),
);

/** Another request may insert the same feedback id at the same time; a repeat then finds it. */
const MAX_TRIES = 3;

type Acknowledged = { externalId: string; receiptId: string; at: number };

/**
 * Records what a user did with a message; a repeat of its `feedbackId` answers the first receipt.
 * @throws ApiError not_found without such a delivery, conflict where the feedback is another one or comes before `shown`
 */
export async function acknowledge(app: App, feedback: Feedback): Promise<Acknowledged> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const outcome = await app.get(feedbackBatch).add(feedback);
    if (outcome?.external_id == null) {
      // The delivery of a visitor who became a user lies with that user now.
      const user = await linkedUser(app, feedback);
      if (user === null) throw new ApiError("not_found", "Delivery not found");
      return acknowledge(app, { ...feedback, lane: user.lane, userKey: user.userKey });
    }
    const { external_id: externalId } = outcome;
    if (outcome.receipt_id !== null && outcome.acknowledged_at !== null) {
      return { externalId, receiptId: outcome.receipt_id, at: outcome.acknowledged_at };
    }
    if (outcome.known_receipt !== null && outcome.known_at !== null) {
      const isSame =
        outcome.known_campaign === feedback.campaignId &&
        outcome.known_occasion === feedback.occasion &&
        outcome.known_type === feedback.type;
      if (!isSame) {
        throw new ApiError("conflict", "feedbackId was used for other feedback");
      }
      return { externalId, receiptId: outcome.known_receipt, at: outcome.known_at };
    }
    if (!outcome.was_shown && resolves(feedback.type)) {
      throw new ApiError("conflict", `type ${feedback.type} needs an acknowledged shown first`);
    }
  }
  throw new ApiError("conflict", "feedbackId is being used by another request; try again");
}

/** How an answer names whose delivery it is, where the request named no one: what a visitor left is that of the user whom they became. */
async function ownerOf(app: App, delivery: DeliveryKey & { projectId: string }, externalId: string) {
  if (isVisitorId(externalId)) return { anonymousId: anonymousIdOf(externalId) };
  const user = externalId === "" ? await linkedUser(app, delivery) : null;
  return { userId: user?.externalId ?? externalId };
}

/** Whether a delivery is of the user or visitor whom a request names, or of the same person before or after they signed in. */
async function isOf(app: App, projectId: string, named: Named, delivery: DeliveryKey): Promise<boolean> {
  const key = await personKey(app, projectId, named);
  if (key.userKey === delivery.userKey) return true;
  const [person, owner] = await Promise.all([
    linkedUser(app, { ...key, projectId }),
    linkedUser(app, { lane: delivery.lane, userKey: delivery.userKey, projectId }),
  ]);
  return (person ?? key).userKey === (owner ?? delivery).userKey;
}

export const sendDeliveryFeedback = endpoint(
  {
    id: "sendDeliveryFeedback",
    method: "POST",
    path: "/api/v1/deliveries/{id}/event",
    tag: "SDK",
    summary: "Report what a user did with a message",
    description:
      "`shown` is the impression; `clicked`, `dismissed` and `converted` resolve the delivery and end its serving. A repeat of a `feedbackId` answers its first receipt. The older form is `{type}` alone, which names no user: where users have to be proven, it is refused.",
    keys: ["publishable"],
    budget: "feedback",
    params: z.object({ id: pathId.meta({ description: "Id of the delivery.", example: example.delivery }) }),
    body: z
      .strictObject({
        type: FeedbackType.describe("What the user did with the message."),
        ...personFields,
        feedbackId: text(256)
          .optional()
          .describe("Your id of this report: a repeat is answered the first receipt."),
        userHash: userHash.optional(),
      })
      .refine(
        (body) => !namesTwo(body) && namesPerson(body) === (body.feedbackId !== undefined),
        "must have feedbackId together with userId, or with anonymousId for a visitor",
      ),
    example: { userId: "ada", type: "shown", feedbackId: "render-1" },
    identifies: ({ body }) => claimOf(body),
    result: FeedbackReceipt,
    errors: ["not_found", "conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { params, body }) => {
    const { projectId, now } = ctx;
    const delivery = parseDeliveryId(params.id);
    const isTheirs =
      delivery !== null && (!namesPerson(body) || (await isOf(ctx.app, projectId, body, delivery)));
    if (!isTheirs) throw new ApiError("not_found", "Delivery not found");
    const periodOf = await activePeriods(ctx.app, projectId);
    const done = await acknowledge(ctx.app, {
      ...delivery,
      projectId,
      type: body.type,
      // The older form has no feedback id: it then has one acknowledgement per delivery and type.
      feedbackId: body.feedbackId ?? `${params.id}:${body.type}`,
      receiptId: newUuid(now),
      at: now,
      period: periodOf(now),
    });
    const { userId, anonymousId } = body;
    const named = namesPerson(body)
      ? { ...(userId === undefined ? {} : { userId }), ...(anonymousId === undefined ? {} : { anonymousId }) }
      : await ownerOf(ctx.app, { ...delivery, projectId }, done.externalId);
    return {
      ...named,
      deliveryId: params.id,
      type: body.type,
      receiptId: apiId("rcp", done.receiptId),
      acknowledgedAt: done.at,
    };
  },
);
