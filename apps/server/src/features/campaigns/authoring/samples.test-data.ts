import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = { listCampaigns: () => ({ query: { q: "c" } }) };
