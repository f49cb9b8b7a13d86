import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = {
  putUserSubscriptions: ({ topic }) => ({ inExample: { choices: [{ topic, wants: "in" }] } }),
};
