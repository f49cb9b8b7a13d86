import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { patch } from "../../../platform/http/contract/fields.ts";
import { assertLimit } from "./assert-limit.ts";
import { assertRoom } from "./assert-room.ts";
import { requireTopic } from "./require-topic.ts";
import { Topic, TopicStatus, topicFields, topicInPath } from "./schema.ts";
import { isTopicInUse, toTopic, updateTopicRow } from "./store.ts";

export const updateTopic = endpoint(
  {
    id: "updateTopic",
    method: "PATCH",
    path: "/api/v1/topics/{id}",
    audit: "changed a topic",
    tag: "Topics",
    summary: "Rename a topic, or archive it",
    description:
      "Any subset of the fields. An archived topic is shown to no reader; what they chose stays, and counts again when it is active again. It cannot be archived while a campaign of it runs or is paused.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Campaigns of it keep to what readers chose.",
    budget: "campaigns",
    tool: "What readers may leave by itself is for people to decide.",
    params: z.object({ id: topicInPath }),
    body: patch({ ...topicFields, status: TopicStatus.describe("Its state.") }),
    example: { name: "Monthly newsletter" },
    result: z.object({ topic: Topic.describe("The topic.") }),
    errors: ["not_found", "conflict"],
    reasons: ["in_use", "too_many"],
  },
  async (ctx, { params, body }) => {
    const { db, projectId, now } = ctx;
    if (body.status === "active") await assertRoom(ctx, params.id);
    const before = await requireTopic(ctx, params.id, "lock");
    if (body.status === "archived" && (await isTopicInUse(db, projectId, before.id)))
      throw new ApiError("conflict", "A campaign of this topic runs or is paused: end it first.", {
        fields: { reason: "in_use" },
      });
    const { name, description, doubleOptIn, max, days, status } = body;
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(doubleOptIn === undefined ? {} : { doubleOptIn }),
      ...(max === undefined ? {} : { max }),
      ...(days === undefined ? {} : { days }),
      ...(status === undefined ? {} : { status }),
    };
    assertLimit({ ...before, ...change });
    await updateTopicRow(db, projectId, before.id, { ...change, updatedAt: now });
    const fields = Object.keys(change) as (keyof typeof change)[];
    ctx.describe({
      target: apiId("top", before.id),
      before: Object.fromEntries(fields.map((field) => [field, before[field]])),
      after: change,
    });
    return { topic: toTopic({ ...before, ...change, updatedAt: now }) };
  },
);
