import { z } from "zod";
import { apiId } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { MAX_URL, text } from "../../platform/http/contract/fields.ts";
import { newUuid } from "../../platform/uuid.ts";
import { lockProject } from "../access/public.ts";
import { MOST_WEBHOOKS, Subscription, Webhook } from "./schema.ts";
import { newWebhookSecret } from "./secret.ts";
import { countWebhooks, insertWebhook } from "./store.ts";
import { assertMayReceive, receiverHost, sealWebhookSecret, viewWebhook } from "./view.ts";

/** The secret of a webhook as it is shown: once, when it is made. */
export const shownSecret = text(128).describe(
  "The secret that its messages are signed with (Standard Webhooks). It is shown once: keep it where your server finds it.",
);

export const createWebhook = endpoint(
  {
    id: "createWebhook",
    method: "POST",
    path: "/api/v1/webhooks",
    audit: "made a webhook",
    tag: "Webhooks",
    summary: "Have messages sent to your server about what happens",
    description:
      "From now on each thing that happens is sent to the address, at least once, as Standard Webhooks has it: a signed POST that your server answers with 2xx within 15 seconds. What fails is tried again for about three days. Messages about one delivery, user, address or campaign come in the order in which things happened.",
    keys: ["secret"],
    people: "owner",
    fresh: true,
    budget: "webhooks",
    tool: "It answers a secret, and sends data of users elsewhere: that is for people.",
    secretAnswer: true,
    status: 201,
    body: z.object({
      url: text(MAX_URL).describe("Where the messages go: an https:// address of yours."),
      types: Subscription,
      description: text(200).optional().describe("What it is for, in words of people."),
    }),
    example: { url: "https://example.com/tidings", types: ["delivery.clicked", "address.suppressed"] },
    result: z.object({ webhook: Webhook.describe("The webhook."), secret: shownSecret }),
    errors: ["not_found", "conflict"],
    reasons: ["too_many", "private_address", "not_https"],
  },
  async (ctx, { body: { url, types, description = null } }) => {
    const { app, db, projectId, now, by } = ctx;
    await assertMayReceive(app.config, url);
    // Two that are made at once would each count the others before there was the other one.
    await lockProject(db, projectId);
    if ((await countWebhooks(db, projectId)) >= MOST_WEBHOOKS)
      throw new ApiError("conflict", `A project has at most ${MOST_WEBHOOKS} webhooks: delete one first.`, {
        fields: { reason: "too_many" },
      });
    const id = newUuid(now);
    const secret = newWebhookSecret();
    const sealed = sealWebhookSecret(app.secrets, projectId, id, secret);
    await insertWebhook(db, projectId, {
      id,
      url,
      description,
      types: [...new Set(types)],
      sealed,
      by: by.kind,
      at: now,
    });
    ctx.describe({ after: { host: receiverHost(url), types } });
    return { webhook: await viewWebhook(db, projectId, apiId("wh", id), now), secret };
  },
);
