/** What a change of a segment makes old. */
export const SEGMENT_STALE = [
  "getSegment",
  "searchSegments",
  "listSegments",
  "listSegmentHistory",
  "listAuditEntries",
] as const;
