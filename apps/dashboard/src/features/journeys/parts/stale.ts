/** What a change of a journey makes old. */
export const JOURNEY_STALE = [
  "getJourney",
  "listJourneys",
  "getJourneyResults",
  "listJourneyEntries",
  "explainJourney",
  "listCampaigns",
  "listAuditEntries",
] as const;
