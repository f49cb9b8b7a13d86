import { z } from "zod";
import { example } from "../../../domain/fields.ts";
import { epochMs, pathId, text } from "../../../platform/http/contract/fields.ts";

/** The most topics of a project that are not archived. */
export const MAX_TOPICS = 50;

export const TopicStatus = z.enum(["active", "archived"]);

/** Whether a reader who has chosen nothing gets the messages of a topic. */
const IsDefault = z
  .enum(["in", "out"])
  .describe(
    "`in`: whoever has not left it gets its messages, such as news of the product that users signed up for. `out`: only who joined it does, such as a newsletter.",
  );

export const topicInPath = pathId.meta({ description: "The topic, by id or key.", example: "newsletter" });

/** By what code and forms name a topic. */
export const topicKey = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, "must be 1 to 64 of a to z, 0 to 9, _ and -")
  .max(64)
  .meta({ description: "By what your code and forms name it.", example: "newsletter" });

/** The fields of a topic that a request may set. */
export const topicFields = {
  name: text(80).describe("What readers see."),
  description: text(500, 0).describe("What readers get, in a sentence that they see below the name."),
  doubleOptIn: z
    .boolean()
    .describe(
      "Whether an address joins only once its owner has pressed the button of a mail that Tidings sends there.",
    ),
  max: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .describe("Messages of it that one reader gets at most within `days`; null for any number. More wait."),
  days: z.int().min(1).max(365).nullable().describe("Days that `max` counts back; null where that is null."),
};

export const newTopicFields = {
  ...topicFields,
  key: topicKey,
  description: topicFields.description.default(""),
  isDefault: IsDefault,
  doubleOptIn: topicFields.doubleOptIn.default(false),
  max: topicFields.max.default(null),
  days: topicFields.days.default(null),
};

/** What readers may choose to get, or to leave. */
export const Topic = z
  .object({
    id: z.string().max(128).meta({ description: "Id of the topic.", example: example.topic }),
    key: topicKey,
    name: z.string().max(80).meta({ description: "What readers see.", example: "Newsletter" }),
    description: z
      .string()
      .max(500)
      .meta({ description: "What readers get.", example: "What is new, once a month." }),
    isDefault: IsDefault,
    doubleOptIn: topicFields.doubleOptIn,
    max: topicFields.max,
    days: topicFields.days,
    status: TopicStatus.describe("An archived one is shown to no reader, and its campaigns do not launch."),
    createdAt: epochMs,
    updatedAt: epochMs,
  })
  .meta({ id: "Topic" });
export type Topic = z.infer<typeof Topic>;
