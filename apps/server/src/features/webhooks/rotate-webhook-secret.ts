import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";
import { shownSecret } from "./create-webhook.ts";
import { Webhook } from "./schema.ts";
import { newWebhookSecret } from "./secret.ts";
import { lockWebhook, replaceSecret } from "./store.ts";
import { requireWebhook, sealWebhookSecret, viewWebhook } from "./view.ts";

/** The longest that a former secret signs, in hours: 30 days. */
const MOST_HOURS = 720;

export const rotateWebhookSecret = endpoint(
  {
    id: "rotateWebhookSecret",
    method: "POST",
    path: "/api/v1/webhooks/{id}/rotate",
    audit: "replaced the secret of a webhook",
    tag: "Webhooks",
    summary: "Make another secret for signing messages",
    description:
      "Until the former one has ended, each message has a signature of both, so that your server can take the new one in between. A second rotation ends the former one at once.",
    keys: ["secret"],
    people: "owner",
    fresh: true,
    budget: "webhooks",
    tool: "It answers a secret, which no model needs.",
    secretAnswer: true,
    params: z.object({ id: pathId.describe("Id of the webhook.") }),
    body: z.object({
      keepHours: z
        .int()
        .min(0)
        .max(MOST_HOURS)
        .default(24)
        .describe("For how long the present secret signs as well, in hours; 0 where it became known."),
    }),
    example: { keepHours: 24 },
    result: z.object({ webhook: Webhook.describe("The webhook."), secret: shownSecret }),
    errors: ["not_found"],
  },
  async (ctx, { params: { id }, body: { keepHours } }) => {
    const { app, db, projectId, now } = ctx;
    const { id: webhookId } = await requireWebhook(db, projectId, id);
    await lockWebhook(db, projectId, webhookId);
    const secret = newWebhookSecret();
    const sealed = sealWebhookSecret(app.secrets, projectId, webhookId, secret);
    await replaceSecret(db, projectId, webhookId, { sealed, formerUntil: now + keepHours * HOUR_MS, now });
    ctx.describe({ after: { keepHours } });
    return { webhook: await viewWebhook(db, projectId, id, now), secret };
  },
);
