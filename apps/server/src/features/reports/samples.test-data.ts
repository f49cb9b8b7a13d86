import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  getMetrics: () => ({ query: { range: "7d" } }),
  getResultDays: () => ({ query: { range: "7d" } }),
};
