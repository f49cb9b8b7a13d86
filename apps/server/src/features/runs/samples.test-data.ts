import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  listAgentRuns: ({ goalId }) => ({ query: { goalId, include: "names" } }),
  getAgentRunTranscript: ({ transcribedRunId }) => ({ path: { id: transcribedRunId } }),
};
