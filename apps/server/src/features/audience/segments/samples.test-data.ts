import type { PeopleSamples, Samples } from "../../../../test/room-samples.ts";

let segments = 0;

export const samples: Samples = {
  // A key that no segment has yet.
  createSegment: () => ({ inExample: { key: `new-${segments++}` } }),
  listSegments: () => ({ query: { status: "active" } }),
  getSegmentVersion: () => ({ path: { version: "1" } }),
};

export const peopleSamples: PeopleSamples = { searchSegments: () => ({ query: { q: "pay" } }) };
