import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { assertLimit } from "./assert-limit.ts";
import { assertRoom } from "./assert-room.ts";
import { newTopicFields, Topic } from "./schema.ts";
import { findTopic, insertTopic, toTopic } from "./store.ts";

export const createTopic = endpoint(
  {
    id: "createTopic",
    method: "POST",
    path: "/api/v1/topics",
    audit: "made a topic",
    tag: "Topics",
    summary: "Make a topic that readers can leave by itself",
    description:
      "Campaigns name it, and their messages then go to who wants it alone. `key` and `isDefault` cannot be changed later: what readers chose, they chose by these.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Campaigns take it by a change of their own.",
    budget: "campaigns",
    tool: "What readers may leave by itself is for people to decide.",
    body: z.object(newTopicFields),
    example: {
      key: "newsletter",
      name: "Newsletter",
      description: "What is new, once a month.",
      isDefault: "out",
      doubleOptIn: true,
    },
    status: 201,
    result: z.object({ topic: Topic.describe("The topic.") }),
    errors: ["conflict"],
    reasons: ["key_taken", "too_many"],
  },
  async (ctx, { body }) => {
    const { db, projectId, now } = ctx;
    const { isDefault, ...fields } = body;
    assertLimit(fields);
    await assertRoom(ctx);
    const isNew = await insertTopic(db, projectId, {
      ...fields,
      id: newUuid(now),
      isDefaultIn: isDefault === "in",
      createdAt: now,
    });
    const topic = await findTopic(db, projectId, ["key", body.key]);
    if (!isNew || topic === null)
      throw new ApiError("conflict", `key is taken by another topic: ${body.key}`, {
        fields: { reason: "key_taken" },
      });
    ctx.describe({ after: body });
    return { topic: toTopic(topic) };
  },
);
