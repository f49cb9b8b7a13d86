import type { Feature } from "../../../domain/feature.ts";
import {
  countEventDifferencesAcrossProjects,
  countLostFirstsAcrossProjects,
  countMiscountedHistoryAcrossProjects,
  countOrphanEventsAcrossProjects,
} from "./check-store.ts";
import { listEvents } from "./list-events.ts";
import { listUserEvents } from "./list-user-events.ts";
import { retireLoop } from "./retire.ts";
import { eventSettingGroup } from "./settings.pure.ts";
import { tables } from "./tables.pure.ts";

export const events: Feature = {
  room: "users/events",
  tables,
  endpoints: [listEvents, listUserEvents],
  settings: [eventSettingGroup],
  loops: [retireLoop],
  checks: [
    {
      name: "events: counts and times per user and name equal the events",
      invariant: 2,
      compares: "derived",
      countDifferences: countEventDifferencesAcrossProjects,
    },
    {
      name: "events: what was deleted for its age still converts whom it converted",
      invariant: 2,
      compares: "derived",
      countDifferences: countLostFirstsAcrossProjects,
    },
    {
      name: "events: what counts as history is among what was counted",
      invariant: 2,
      compares: "derived",
      countDifferences: countMiscountedHistoryAcrossProjects,
    },
    {
      name: "events: every event has its user",
      invariant: 4,
      compares: "facts",
      countDifferences: countOrphanEventsAcrossProjects,
    },
  ],
  tags: { Events: "What users did." },
};
