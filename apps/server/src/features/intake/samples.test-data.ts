import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  sendCalls: () => ({ path: { call: "batch" } }),
};
