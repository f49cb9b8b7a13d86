import { resource } from "../../../platform/runtime.ts";
import { countFaultsAcrossProjects } from "../../deliveries/public.ts";
import { countSendingAcrossProjects } from "./metrics-store.ts";

/** What waits, is unknown or is stopped by a fault, over all projects and processes. */
export const emailMetrics = resource(({ metrics, database, clock }) =>
  metrics.gauges(
    {
      tidings_email_waiting:
        "Messages that are due and have not left, of campaigns that run; 100000 at most.",
      tidings_email_unknown: "Messages of which nobody knows whether they left; 100000 at most.",
      tidings_email_faults: "Email campaigns that run and say why nothing leaves.",
    },
    async () => {
      const { waiting, unknown } = await countSendingAcrossProjects(database.kysely, clock());
      return {
        tidings_email_waiting: waiting,
        tidings_email_unknown: unknown,
        tidings_email_faults: await countFaultsAcrossProjects(database.kysely, "email"),
      };
    },
  ),
);

/** Counts the outcomes of attempts that this process recorded. */
export const emailOutcomes = resource(({ metrics }) =>
  metrics.counter("tidings_email_outcomes_total", "What came of attempts to send a message.", "outcome", [
    "accepted",
    "deferred",
    "rejected",
    "unknown",
  ]),
);
