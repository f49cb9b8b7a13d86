import { z } from "zod";
import { uuidFor } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { WebhookAttempt, WebhookMessage } from "./schema.ts";
import { listAttempts, listMessages } from "./store.ts";
import { requireWebhook, toMessage } from "./view.ts";

const MOST_ATTEMPTS = 50;

export const getWebhookMessage = endpoint(
  {
    id: "getWebhookMessage",
    method: "GET",
    path: "/api/v1/webhooks/{id}/messages/{messageId}",
    tag: "Webhooks",
    summary: "Read what became of a message, attempt by attempt",
    keys: ["secret", "agent"],
    people: "approver",
    budget: "webhooks",
    tool: {},
    params: z.object({
      id: pathId.describe("Id of the webhook."),
      messageId: pathId.describe("Id of the message."),
    }),
    result: z.object({
      message: WebhookMessage.describe("The message."),
      attempts: z
        .array(WebhookAttempt)
        .max(MOST_ATTEMPTS)
        .describe("The requests that carried it, newest first."),
    }),
    errors: ["not_found"],
  },
  async ({ db, projectId, now }, { params: { id, messageId } }) => {
    const { id: webhookId } = await requireWebhook(db, projectId, id);
    const which = { webhookId, id: uuidFor("msg", messageId) };
    const filter = { state: undefined, before: null, id: which.id };
    const [row] = await listMessages(db, projectId, webhookId, filter, 1);
    if (row === undefined) throw new ApiError("not_found", "Message not found");
    const attempts = await listAttempts(db, projectId, which, MOST_ATTEMPTS);
    return { message: toMessage(row, now), attempts };
  },
);
