import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { requireTopic } from "./require-topic.ts";
import { Topic, topicInPath } from "./schema.ts";
import { toTopic } from "./store.ts";

export const getTopic = endpoint(
  {
    id: "getTopic",
    method: "GET",
    path: "/api/v1/topics/{id}",
    tag: "Topics",
    summary: "Read a topic",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: "It would say no more than the list of topics.",
    params: z.object({ id: topicInPath }),
    result: z.object({ topic: Topic.describe("The topic.") }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => ({ topic: toTopic(await requireTopic(ctx, params.id)) }),
);
