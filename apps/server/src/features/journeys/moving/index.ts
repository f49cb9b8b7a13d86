import type { Feature } from "../../../domain/feature.ts";
import { addJourneyEntries } from "./add-entries.ts";
import { countCountDifferencesAcrossProjects, countUnprovenAcrossProjects } from "./counts-store.ts";
import { explainJourney } from "./explain-journey.ts";
import { fillLoop } from "./filling.ts";
import { getJourneyResults } from "./get-results.ts";
import { listJourneyEntries } from "./list-entries.ts";
import { moveLoop } from "./mover.ts";
import { removeJourneyEntry } from "./remove-entry.ts";
import { tables } from "./tables.pure.ts";
import { takeJourneyCensus } from "./take-census.ts";

export const journeyMoving: Feature = {
  room: "journeys/moving",
  tables,
  endpoints: [
    addJourneyEntries,
    listJourneyEntries,
    removeJourneyEntry,
    getJourneyResults,
    explainJourney,
    takeJourneyCensus,
  ],
  loops: [fillLoop, moveLoop],
  checks: [
    {
      name: "journeys: counts equal who is where and what they did",
      invariant: 14,
      compares: "derived",
      countDifferences: countCountDifferencesAcrossProjects,
    },
    {
      name: "journeys: what is written as sent was sent",
      invariant: 14,
      compares: "facts",
      countDifferences: countUnprovenAcrossProjects,
    },
  ],
};
