import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  listUsers: ({ userId }) => ({
    query: { q: userId, traitKey: "plan", traitValue: "pro", activeSince: "0" },
  }),
};
