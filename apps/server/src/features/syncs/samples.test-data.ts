import type { PeopleSamples } from "../../../test/room-samples.ts";

let places = 0;

export const peopleSamples: PeopleSamples = {
  // A place in which no sync has written yet.
  createSync: () => ({ inExample: { to: { folder: `warehouse-${places++}` } } }),
};
