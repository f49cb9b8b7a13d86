import { z } from "zod";
import { apiId } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId, text } from "../../platform/http/contract/fields.ts";
import { announceTest } from "./feed/feed-store.ts";
import { requireWebhook } from "./view.ts";

export const testWebhook = endpoint(
  {
    id: "testWebhook",
    method: "POST",
    path: "/api/v1/webhooks/{id}/test",
    audit: "sent a message to try a webhook",
    tag: "Webhooks",
    summary: "Send a message of type test",
    description: "It is sent like all others. Read the message to see what your server answered.",
    keys: ["secret"],
    people: "owner",
    budget: "webhooks",
    tool: "A person looks at what arrives.",
    params: z.object({ id: pathId.describe("Id of the webhook.") }),
    result: z.object({ messageId: text(64).describe("`msg_…`: the message to read.") }),
    errors: ["not_found", "conflict"],
    reasons: ["off"],
  },
  async ({ db, projectId, now }, { params: { id } }) => {
    const { id: webhookId } = await requireWebhook(db, projectId, id);
    const messageId = await announceTest(db, projectId, webhookId, now);
    if (messageId === null)
      throw new ApiError("conflict", "This webhook is off: switch it on first.", {
        fields: { reason: "off" },
      });
    return { messageId: apiId("msg", messageId) };
  },
);
