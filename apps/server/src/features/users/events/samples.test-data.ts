import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  listEvents: ({ userId }) => ({
    query: { name: "signed_up", externalUserId: userId, since: "2026-01-01" },
  }),
};
