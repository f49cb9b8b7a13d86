/** What a change of a segment makes old. */
export const STALE = [
  "getSegment",
  "searchSegments",
  "listSegments",
  "listSegmentHistory",
  "listAuditEntries",
] as const;
