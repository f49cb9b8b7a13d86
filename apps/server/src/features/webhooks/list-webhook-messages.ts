import { z } from "zod";
import { apiId, uuidFor } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId, queryInt, text } from "../../platform/http/contract/fields.ts";
import { MessageState, WebhookMessage } from "./schema.ts";
import { listMessages } from "./store.ts";
import { requireWebhook, toMessage } from "./view.ts";

const MOST = 100;

export const listWebhookMessages = endpoint(
  {
    id: "listWebhookMessages",
    method: "GET",
    path: "/api/v1/webhooks/{id}/messages",
    tag: "Webhooks",
    summary: "List what was sent to a webhook, or waits to be",
    description: "The newest first, of the last 30 days.",
    keys: ["secret", "agent"],
    people: "approver",
    budget: "webhooks",
    tool: {},
    params: z.object({ id: pathId.describe("Id of the webhook.") }),
    query: z.object({
      state: MessageState.optional(),
      before: text(64).optional().describe("`msg_…`: those that came before this one."),
      limit: queryInt(1, MOST, 50).describe("How many at most."),
    }),
    result: z.object({
      messages: z.array(WebhookMessage).max(MOST).describe("The messages."),
      next: text(64)
        .nullable()
        .describe("What to give as `before` for further ones; null where there are none."),
    }),
    errors: ["not_found"],
  },
  async ({ db, projectId, now }, { params: { id }, query: { state, before, limit } }) => {
    const { id: webhookId } = await requireWebhook(db, projectId, id);
    const from = before === undefined ? null : uuidFor("msg", before);
    const rows = await listMessages(db, projectId, webhookId, { state, before: from }, limit + 1);
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      messages: page.map((row) => toMessage(row, now)),
      next: last === undefined ? null : apiId("msg", last.id),
    };
  },
);
