import type { Page } from "../../platform/pages.ts";

export const journeys: Page = {
  path: "journeys",
  label: "Journeys",
  section: "messages",
  also: "flows automations",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).JourneysPage,
};

export const journey: Page = {
  path: "journeys/$journeyId",
  label: "Journey",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./journey.tsx")).JourneyPage,
};

export const newJourney: Page = {
  path: "journeys/new",
  label: "New journey",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./new.tsx")).NewJourneyPage,
};

export const editJourney: Page = {
  path: "journeys/$journeyId/edit",
  label: "Edit",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./edit.tsx")).EditJourneyPage,
};
