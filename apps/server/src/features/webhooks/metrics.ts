import { resource } from "../../platform/runtime.ts";
import { countWebhooksAcrossProjects } from "./metrics-store.ts";

/** What waits for webhooks, and which of them a fault has switched off, over all projects and processes. */
export const webhookMetrics = resource(({ metrics, database }) =>
  metrics.gauges(
    {
      tidings_webhooks_waiting: "Messages that wait for webhooks which are on; 100000 at most.",
      tidings_webhooks_off: "Webhooks that a fault has switched off.",
    },
    async () => {
      const { waiting, off } = await countWebhooksAcrossProjects(database.kysely);
      return { tidings_webhooks_waiting: waiting, tidings_webhooks_off: off };
    },
  ),
);

/** Counts the outcomes of requests to webhooks that this process recorded. */
export const webhookOutcomes = resource(({ metrics }) =>
  metrics.counter("tidings_webhooks_outcomes_total", "What came of requests to webhooks.", "outcome", [
    "delivered",
    "failed",
  ]),
);
