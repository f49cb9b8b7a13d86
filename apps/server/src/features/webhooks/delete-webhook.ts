import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { lockWebhook, removeWebhook } from "./store.ts";
import { receiverHost, requireWebhook } from "./view.ts";

export const deleteWebhook = endpoint(
  {
    id: "deleteWebhook",
    method: "DELETE",
    path: "/api/v1/webhooks/{id}",
    audit: "deleted a webhook",
    tag: "Webhooks",
    summary: "Delete an address that gets messages",
    description: "What waits for it is not sent any more.",
    keys: ["secret"],
    people: "owner",
    fresh: true,
    budget: "webhooks",
    tool: "It cannot be undone.",
    params: z.object({ id: pathId.describe("Id of the webhook.") }),
    errors: ["not_found"],
  },
  async (ctx, { params: { id } }) => {
    const { db, projectId, now } = ctx;
    const { id: webhookId, url } = await requireWebhook(db, projectId, id);
    await lockWebhook(db, projectId, webhookId);
    await removeWebhook(db, projectId, webhookId, now);
    ctx.describe({ before: { host: receiverHost(url) } });
  },
);
