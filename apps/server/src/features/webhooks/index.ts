import type { Feature } from "../../domain/feature.ts";
import { changeWebhook } from "./change-webhook.ts";
import { countPassedAcrossProjects, countUnloggedAcrossProjects } from "./check-store.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { forgetMessagesLoop, stopFloodedLoop } from "./forget.ts";
import { getWebhook } from "./get-webhook.ts";
import { getWebhookMessage } from "./get-webhook-message.ts";
import { listWebhookMessages } from "./list-webhook-messages.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { webhookMetrics, webhookOutcomes } from "./metrics.ts";
import { OUTGOING } from "./payloads.pure.ts";
import { replayWebhookMessages } from "./replay-webhook-messages.ts";
import { rotateWebhookSecret } from "./rotate-webhook-secret.ts";
import { webhookChannel } from "./sending/channel.ts";
import { tables } from "./tables.pure.ts";
import { testWebhook } from "./test-webhook.ts";

export const webhooks: Feature = {
  room: "webhooks",
  tables,
  endpoints: [
    listWebhooks,
    createWebhook,
    getWebhook,
    changeWebhook,
    deleteWebhook,
    rotateWebhookSecret,
    testWebhook,
    replayWebhookMessages,
    listWebhookMessages,
    getWebhookMessage,
  ],
  outgoing: OUTGOING,
  loops: [webhookChannel.sendLoop, webhookChannel.reapLoop, forgetMessagesLoop, stopFloodedLoop],
  checks: [
    {
      name: "webhooks: messages about one thing come in order",
      invariant: 11,
      compares: "facts",
      countDifferences: countPassedAcrossProjects,
    },
    {
      name: "webhooks: each attempt is written down",
      invariant: 11,
      compares: "facts",
      countDifferences: countUnloggedAcrossProjects,
    },
  ],
  metrics: [webhookMetrics, webhookOutcomes],
  tags: { Webhooks: "Messages to your own server about what happens, signed as Standard Webhooks has it." },
};
