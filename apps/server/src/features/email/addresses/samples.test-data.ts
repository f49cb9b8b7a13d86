import type { PeopleSamples } from "../../../../test/room-samples.ts";

export const peopleSamples: PeopleSamples = {
  listSuppressedAddresses: () => ({ query: { q: "example" } }),
};
