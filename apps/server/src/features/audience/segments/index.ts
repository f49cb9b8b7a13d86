import type { Feature } from "../../../domain/feature.ts";
import { archiveSegment } from "./archive-segment.ts";
import { checkAudience } from "./audiences/check-audience.ts";
import { explainAudience } from "./audiences/explain-audience.ts";
import { getAudienceCapabilities } from "./audiences/get-audience-capabilities.ts";
import { countVersionDifferencesAcrossProjects } from "./check-store.ts";
import { createSegment } from "./create-segment.ts";
import { getSegment } from "./get-segment.ts";
import { getSegmentVersion } from "./get-segment-version.ts";
import { listSegmentUsers } from "./list-segment-users.ts";
import { listSegmentVersions } from "./list-segment-versions.ts";
import { listSegments } from "./list-segments.ts";
import { compareSegmentVersions } from "./people/compare-segment-versions.ts";
import { countAudienceNodes } from "./people/count-audience-nodes.ts";
import { listSegmentHistory } from "./people/list-segment-history.ts";
import { listUserSegments } from "./people/list-user-segments.ts";
import { searchSegments } from "./people/search-segments.ts";
import { tables } from "./tables.pure.ts";
import { updateSegment } from "./update-segment.ts";

export const segments: Feature = {
  room: "audience/segments",
  tables,
  endpoints: [
    getAudienceCapabilities,
    checkAudience,
    explainAudience,
    createSegment,
    listSegments,
    getSegment,
    updateSegment,
    archiveSegment,
    listSegmentUsers,
    listSegmentVersions,
    getSegmentVersion,
    searchSegments,
    listSegmentHistory,
    listUserSegments,
    compareSegmentVersions,
    countAudienceNodes,
  ],
  checks: [
    {
      name: "segments: versions are counted from 1 to the current one",
      invariant: 8,
      compares: "derived",
      countDifferences: countVersionDifferencesAcrossProjects,
    },
  ],
  tags: {
    Audiences: "Asking who an audience means, before anybody gets anything.",
    Segments: "Named audiences with versions.",
  },
};
