import type { PeopleSamples } from "../../../test/room-samples.ts";

export const peopleSamples: PeopleSamples = { listAnnouncements: () => ({ query: { state: "waiting" } }) };
