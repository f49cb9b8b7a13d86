import type { Feature } from "../../../domain/feature.ts";
import { createTopic } from "./create-topic.ts";
import { getTopic } from "./get-topic.ts";
import { listTopics } from "./list-topics.ts";
import { topicSettingGroup } from "./settings.pure.ts";
import { tables } from "./tables.pure.ts";
import { updateTopic } from "./update-topic.ts";

export const topics: Feature = {
  room: "campaigns/topics",
  tables,
  settings: [topicSettingGroup],
  endpoints: [createTopic, listTopics, getTopic, updateTopic],
  tags: { Topics: "What you write about, so that readers leave a topic and not you." },
};
