import type { Samples } from "../../../../test/room-samples.ts";

export const samples: Samples = { listGoals: () => ({ query: { status: "active" } }) };
