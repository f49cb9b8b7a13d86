export { type CampaignTopic, findTopic, listTopicRows, type TopicRow, topicOfSql } from "./store.ts";
