import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  extractUsers: ({ segmentKey }) => ({ query: { segment: segmentKey } }),
  extractEvents: () => ({ path: { format: "ndjson" }, query: { name: "signed_up" } }),
  extractDeliveries: ({ campaignId }) => ({ query: { campaignId, state: "shown" } }),
  extractSuppressions: () => ({ path: { format: "ndjson" }, query: { reason: "bounced" } }),
};
