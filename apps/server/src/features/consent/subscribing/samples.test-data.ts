import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  // A user who has an address: with the publishable key they have to be proven.
  subscribe: ({ userId, topic }) => ({ body: { userId, topics: [topic], source: "footer" } }),
};
