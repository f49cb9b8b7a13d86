import { resource } from "../../platform/runtime.ts";
import { countSendingAcrossProjects } from "./metrics-store.ts";

/** How the sending of push stands, over all projects and processes. */
export const pushMetrics = resource(({ metrics, database, clock }) =>
  metrics.gauges(
    {
      tidings_push_waiting:
        "Devices that are due and were not sent to, of campaigns that run; 100000 at most.",
      tidings_push_faults: "Push campaigns that run and failed by themselves.",
    },
    async () => {
      const { waiting, faults } = await countSendingAcrossProjects(database.kysely, clock());
      return { tidings_push_waiting: waiting, tidings_push_faults: faults };
    },
  ),
);

/** Counts what came of pushes in this process. */
export const pushOutcomes = resource(({ metrics }) =>
  metrics.counter("tidings_push_outcomes_total", "What came of attempts to send a push.", "outcome", [
    ...["accepted", "rejected", "unknown", "blocked"],
  ]),
);
