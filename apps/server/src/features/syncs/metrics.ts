import { resource } from "../../platform/runtime.ts";
import { countFailingAcrossProjects } from "./writing/turn-store.ts";

/** How many syncs fail, over all projects and processes. */
export const syncMetrics = resource(({ metrics, database }) =>
  metrics.gauges(
    { tidings_syncs_failing: "Syncs whose last attempts failed, three or more in a row." },
    async () => ({
      tidings_syncs_failing: await countFailingAcrossProjects(database.kysely),
    }),
  ),
);
