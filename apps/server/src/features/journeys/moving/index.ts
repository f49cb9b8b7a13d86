import type { Feature } from "../../../domain/feature.ts";
import { plug } from "../../../platform/runtime.ts";
import { afterMessages } from "../../deliveries/public.ts";
import { addJourneyEntries } from "./entering/add-entries.ts";
import { fillLoop } from "./entering/filling.ts";
import {
  countArmDifferencesAcrossProjects,
  countCountDifferencesAcrossProjects,
  countUnprovenAcrossProjects,
} from "./results/counts-store.ts";
import { getJourneyResults } from "./results/get-results.ts";
import { explainJourney } from "./story/explain-journey.ts";
import { listJourneyEntries } from "./story/list-entries.ts";
import { takeJourneyCensus } from "./story/take-census.ts";
import { tables } from "./tables.pure.ts";
import { goOnAfter } from "./walking/following.ts";
import { moveLoop } from "./walking/mover.ts";
import { removeJourneyEntry } from "./walking/remove-entry.ts";

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
  plugs: [plug(afterMessages, goOnAfter)],
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
    {
      name: "journeys: each user has an arm that users got when they entered",
      invariant: 14,
      compares: "facts",
      countDifferences: countArmDifferencesAcrossProjects,
    },
  ],
};
