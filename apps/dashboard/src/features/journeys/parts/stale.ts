/** What a change of a journey makes old. */
export const JOURNEY_STALE = [
  "getJourney",
  "listJourneys",
  "getJourneyResults",
  "listJourneyEntries",
  "listCampaigns",
  "listAuditEntries",
] as const;
