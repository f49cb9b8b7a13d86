import type { PeopleSamples } from "../../../test/room-samples.ts";

export const peopleSamples: PeopleSamples = { reviewCampaign: () => ({ body: { launch: true } }) };
