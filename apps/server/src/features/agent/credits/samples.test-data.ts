import type { Samples } from "../../../../test/room-samples.ts";

let executions = 0;

export const samples: Samples = {
  // A run that was not reported yet: one that was is answered, whatever the rest of the body is.
  recordAgentUsage: () => ({ inExample: { executionId: `execution-${executions++}` } }),
};
