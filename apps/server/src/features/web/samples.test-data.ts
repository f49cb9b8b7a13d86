import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  getMessages: ({ userId }) => ({ query: { userId, entryId: "e", requestId: "r", path: "/" } }),
};
