import type { Feature } from "../../platform/feature.ts";
import { listEvents } from "./list-events.ts";
import { listUserEvents } from "./list-user-events.ts";
import { countEventDifferencesAcrossProjects, countOrphanEventsAcrossProjects } from "./store.ts";

export const events: Feature = {
  endpoints: [listEvents, listUserEvents],
  checks: [
    {
      name: "events: counts and times per user and name equal the events",
      countDifferences: countEventDifferencesAcrossProjects,
    },
    { name: "events: every event has its user", countDifferences: countOrphanEventsAcrossProjects },
  ],
};
