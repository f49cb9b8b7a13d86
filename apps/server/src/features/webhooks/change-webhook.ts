import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { MAX_URL, patch, pathId, text } from "../../platform/http/contract/fields.ts";
import { Subscription, Webhook } from "./schema.ts";
import { changeWebhookRow, lockWebhook, switchOff, switchOn } from "./store.ts";
import { assertMayReceive, receiverHost, requireWebhook, viewWebhook } from "./view.ts";

export const changeWebhook = endpoint(
  {
    id: "changeWebhook",
    method: "PATCH",
    path: "/api/v1/webhooks/{id}",
    audit: "changed a webhook",
    tag: "Webhooks",
    summary: "Change where messages go, what they are about, or switch them on or off",
    description:
      "What waits goes to the new address. While a webhook is off, nothing is kept for it; what waited before leaves once it is on again.",
    keys: ["secret"],
    people: "owner",
    fresh: true,
    budget: "webhooks",
    tool: "It sends data of users elsewhere: that is for people.",
    params: z.object({ id: pathId.describe("Id of the webhook.") }),
    body: patch({
      url: text(MAX_URL).optional().describe("Where the messages go."),
      types: Subscription.optional(),
      description: text(200).nullable().optional().describe("What it is for; null removes it."),
      state: z.enum(["on", "off"]).optional().describe("Switches it on or off."),
    }),
    example: { state: "off" },
    result: z.object({ webhook: Webhook.describe("The webhook.") }),
    errors: ["not_found", "conflict"],
    reasons: ["private_address", "not_https", "no_secret"],
  },
  async (ctx, { params: { id }, body: { state, types, ...body } }) => {
    const { app, db, projectId, now } = ctx;
    const { id: webhookId } = await requireWebhook(db, projectId, id);
    if (body.url !== undefined) await assertMayReceive(app.config, body.url);
    await lockWebhook(db, projectId, webhookId);
    const before = await requireWebhook(db, projectId, id);
    // It may have come from a server that allowed its address.
    if (state === "on" && before.state === "off" && body.url === undefined)
      await assertMayReceive(app.config, before.url);
    if (state === "on" && before.sealed === null)
      throw new ApiError("conflict", "It has no secret here yet: make one first (rotate).", {
        fields: { reason: "no_secret" },
      });
    const change = { ...body, ...(types === undefined ? {} : { types: [...new Set(types)] }) };
    await changeWebhookRow(db, projectId, webhookId, change, now);
    if (state === "on" && before.state === "off") await switchOn(db, projectId, webhookId, now);
    if (state === "off") await switchOff(db, projectId, webhookId, { because: "person", now });
    const after = await viewWebhook(db, projectId, id, now);
    ctx.describe({
      before: { host: receiverHost(before.url), types: before.types, state: before.state },
      after: { host: receiverHost(after.url), types: after.types, state: after.state },
    });
    return { webhook: after };
  },
);
