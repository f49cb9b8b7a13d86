import type { Feature } from "../../../platform/feature.ts";
import { archiveSegment } from "./archive-segment.ts";
import { checkAudience } from "./audiences/check-audience.ts";
import { explainAudience } from "./audiences/explain-audience.ts";
import { getAudienceCapabilities } from "./audiences/get-audience-capabilities.ts";
import { countVersionDifferencesAcrossProjects } from "./check-store.ts";
import { createSegment } from "./create-segment.ts";
import { getSegment } from "./get-segment.ts";
import { getSegmentVersion } from "./get-segment-version.ts";
import { listSegmentVersions } from "./list-segment-versions.ts";
import { listSegments } from "./list-segments.ts";
import { updateSegment } from "./update-segment.ts";

export const segments: Feature = {
  endpoints: [
    getAudienceCapabilities,
    checkAudience,
    explainAudience,
    createSegment,
    listSegments,
    getSegment,
    updateSegment,
    archiveSegment,
    listSegmentVersions,
    getSegmentVersion,
  ],
  checks: [
    {
      name: "segments: versions are counted from 1 to the current one",
      invariant: 8,
      compares: "derived",
      countDifferences: countVersionDifferencesAcrossProjects,
    },
  ],
};
