import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  recordObservations: ({ reachableId }) => ({ path: { installationId: reachableId } }),
};
