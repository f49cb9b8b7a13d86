import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { Topic, TopicStatus } from "./schema.ts";
import { listTopicRows, toTopic } from "./store.ts";

export const listTopics = endpoint(
  {
    id: "listTopics",
    method: "GET",
    path: "/api/v1/topics",
    tag: "Topics",
    summary: "List topics, by name",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    query: z.object({ status: TopicStatus.optional().describe("Only topics in this state.") }),
    result: z.object({ topics: z.array(Topic).max(1_000).describe("The topics.") }),
  },
  async ({ db, projectId }, { query }) => ({
    topics: (await listTopicRows(db, projectId, { status: query.status ?? null })).map(toTopic),
  }),
);
