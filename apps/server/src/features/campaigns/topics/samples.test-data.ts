import type { Samples } from "../../../../test/room-samples.ts";

let topics = 0;

export const samples: Samples = {
  // A key that no topic has yet.
  createTopic: () => ({ inExample: { key: `topic-${topics++}` } }),
  listTopics: () => ({ query: { status: "active" } }),
};
