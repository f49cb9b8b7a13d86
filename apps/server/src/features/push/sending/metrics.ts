import { resource } from "../../../platform/runtime.ts";
import { countFaultsAcrossProjects } from "../../deliveries/public.ts";
import { countWaitingAcrossProjects } from "./metrics-store.ts";

/** What waits or is stopped by a fault, over all projects and processes. */
export const pushMetrics = resource(({ metrics, database, clock }) =>
  metrics.gauges(
    {
      tidings_push_waiting:
        "Devices that are due and were not sent to, of campaigns that run; 100000 at most.",
      tidings_push_faults: "Push campaigns that run and say why nothing leaves.",
    },
    async () => {
      const { kysely } = database;
      return {
        tidings_push_waiting: await countWaitingAcrossProjects(kysely, clock()),
        tidings_push_faults: await countFaultsAcrossProjects(kysely, "push"),
      };
    },
  ),
);

/** Counts the outcomes of pushes that this process recorded. */
export const pushOutcomes = resource(({ metrics }) =>
  metrics.counter("tidings_push_outcomes_total", "What came of attempts to send a push.", "outcome", [
    "accepted",
    "rejected",
    "unknown",
    "blocked",
  ]),
);
