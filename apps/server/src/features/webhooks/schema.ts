import { z } from "zod";
import { count, epochMs, MAX_URL, text } from "../../platform/http/contract/fields.ts";
import { ALL_OTHERS, SUBSCRIBABLE, TEST_TYPE } from "./types.pure.ts";

/** The most webhooks of a project. */
export const MOST_WEBHOOKS = 10;
/** How long messages are kept, in days. */
export const KEPT_DAYS = 30;
/** The most characters of an answer, and of why there was none, that are kept. */
export const MOST_ANSWER = 512;

/** What a webhook is about. */
export const Subscription = z
  .array(z.enum([ALL_OTHERS, ...SUBSCRIBABLE]))
  .min(1)
  .max(SUBSCRIBABLE.length + 1)
  .describe(
    "The types of messages that it gets. `*`: all but those about deliveries, which have to be named.",
  );

/** Why a webhook is off. */
const OffBecause = z
  .enum(["person", "gone", "failing", "flooded", "brought"])
  .describe(
    "Why it gets nothing now. person: it was switched off. gone: it answered 410. failing: no attempt succeeded for 5 days. flooded: more than 1,000,000 messages wait. brought: it came with an import of the project, and has no secret yet.",
  );

/** An address that gets messages about what happens, as the API shows it. Instants are epoch milliseconds. */
export const Webhook = z
  .object({
    id: text(64).describe("`wh_…`."),
    url: text(MAX_URL).describe("Where the messages go."),
    description: text(200).nullable().describe("What it is for, in words of people."),
    types: Subscription,
    state: z.enum(["on", "off"]).describe("off: what happens meanwhile is not kept for it."),
    offBecause: OffBecause.nullable(),
    offAt: epochMs.nullable().describe("Since when it is off."),
    failingSince: epochMs
      .nullable()
      .describe("The first attempt that failed since the last one that succeeded; null where it works."),
    fault: text(MOST_ANSWER, 0).nullable().describe("Why the last attempt failed, while it is failing."),
    succeededAt: epochMs.nullable().describe("About when an attempt succeeded last, to the minute."),
    formerSecretUntil: epochMs
      .nullable()
      .describe("Until then a former secret signs beside the present one; null where none does."),
    waiting: count.describe("Messages that wait; 10,001 where more than 10,000 do."),
    createdAt: epochMs.describe("When it was made."),
    changedAt: epochMs.describe("When a person or a program changed it last."),
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof Webhook>;

export const MessageState = z
  .enum(["waiting", "sending", "delivered", "given_up"])
  .describe("delivered: it answered 2xx. given_up: ten attempts failed.");
export type MessageState = z.infer<typeof MessageState>;

/** A message of a webhook, as the API shows it. */
export const WebhookMessage = z
  .object({
    id: text(64).describe("`msg_…`: what it calls itself in `webhook-id`, the same at every attempt."),
    type: z.enum([...SUBSCRIBABLE, TEST_TYPE]).describe("What happened."),
    happenedAt: epochMs.describe("When it happened."),
    state: MessageState,
    dueAt: epochMs
      .nullable()
      .describe(
        "When it is tried next; null where it has ended, or waits for an earlier one about the same thing.",
      ),
    attempts: count.describe("Requests that carried it."),
    gapBefore: z
      .boolean()
      .describe(
        "Whether an earlier message about the same thing was given up, so that it tells of a change whose predecessor is missing.",
      ),
    replayedAt: epochMs.nullable().describe("When it was requested once more."),
    endedAt: epochMs.nullable().describe("When it was delivered or given up."),
    last: z
      .object({
        at: epochMs.describe("When it began."),
        status: z.int().nullable().describe("The status of the answer; null where none came."),
        fault: text(MOST_ANSWER, 0).nullable().describe("Why no answer counts; null where it was taken."),
      })
      .nullable()
      .describe("Its last attempt."),
  })
  .meta({ id: "WebhookMessage" });
export type WebhookMessage = z.infer<typeof WebhookMessage>;

export const WebhookAttempt = z
  .object({
    at: epochMs.describe("When it began."),
    ms: count.describe("How long it took, in milliseconds."),
    status: z.int().nullable().describe("The status of the answer; null where none came."),
    answer: text(MOST_ANSWER, 0).nullable().describe("The beginning of what was answered, as text."),
    fault: text(MOST_ANSWER, 0).nullable().describe("Why it failed; null where it was taken."),
  })
  .meta({ id: "WebhookAttempt" });
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;
