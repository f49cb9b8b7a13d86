import type { Feature } from "../../../domain/feature.ts";
import { createJourney } from "./create-journey.ts";
import { getJourney } from "./get-journey.ts";
import { listJourneys } from "./list-journeys.ts";
import { setJourneyStatus } from "./set-journey-status.ts";
import { tables } from "./tables.pure.ts";
import { updateJourney } from "./update-journey.ts";

export const journeys: Feature = {
  room: "journeys/authoring",
  tables,
  endpoints: [createJourney, listJourneys, getJourney, updateJourney, setJourneyStatus],
  tags: { Journeys: "Steps that users go through: messages, waits and choices, one after the other." },
};
