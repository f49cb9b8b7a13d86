import type { PeopleSamples, Samples } from "../../../../test/room-samples.ts";

let deployments = 0;

export const samples: Samples = {
  // A deployment that was not reported yet.
  recordDeployment: () => ({ inExample: { deploymentId: `ci-${deployments++}` } }),
  listDeployments: ({ sourceId }) => ({ query: { sourceId } }),
};

export const peopleSamples: PeopleSamples = {
  // An address where nothing is, for which no name is looked up.
  connectSource: () => ({ inExample: { url: "https://[2d00::1]/acme/app.git" } }),
};
