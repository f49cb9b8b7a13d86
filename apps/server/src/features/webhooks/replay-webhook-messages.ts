import { z } from "zod";
import { apiId, uuidFor } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { count, epochMs, pathId, text } from "../../platform/http/contract/fields.ts";
import { lockWebhook, type ReplayChoice, replayMessages } from "./store.ts";
import { requireWebhook } from "./view.ts";

/** The most messages that one call has sent once more. */
const AT_ONCE = 10_000;

export const replayWebhookMessages = endpoint(
  {
    id: "replayWebhookMessages",
    method: "POST",
    path: "/api/v1/webhooks/{id}/replay",
    audit: "had messages of a webhook sent once more",
    tag: "Webhooks",
    summary: "Have messages sent once more that were delivered or given up",
    description:
      "One message by its id, or those of a span of time. They keep their `webhook-id`, so that your server may know them. At most 10,000 of a call: repeat it with `next` as `after` until that is null.",
    keys: ["secret"],
    people: "owner",
    budget: "webhooks",
    tool: "It sends data of users elsewhere: that is for people.",
    params: z.object({ id: pathId.describe("Id of the webhook.") }),
    body: z.object({
      messageId: text(64).optional().describe("`msg_…`: this message alone."),
      since: epochMs.optional().describe("Those that happened then or later."),
      until: epochMs.optional().describe("And before; now, where it is left out."),
      state: z
        .enum(["given_up", "delivered"])
        .optional()
        .describe("Which of them: those that were given up, unless it says otherwise."),
      after: text(64).optional().describe("`msg_…`: those of them that came after this one."),
    }),
    example: { since: 1_790_000_000_000 },
    result: z.object({
      replayed: count.describe("How many are sent once more."),
      next: text(64)
        .nullable()
        .describe("What to give as `after` for further ones; null where there are none."),
    }),
    errors: ["not_found"],
  },
  async (ctx, { params: { id }, body: { messageId, since, until, state = "given_up", after } }) => {
    const { db, projectId, now } = ctx;
    if ((messageId === undefined) === (since === undefined))
      throw new ApiError("invalid_request", "messageId or since is needed, and not both");
    const chosen: ReplayChoice =
      messageId === undefined
        ? {
            since: since ?? 0,
            until: until ?? now,
            state,
            after: after === undefined ? null : uuidFor("msg", after),
          }
        : { id: uuidFor("msg", messageId) };
    const { id: webhookId } = await requireWebhook(db, projectId, id);
    await lockWebhook(db, projectId, webhookId);
    const { replayed, last } = await replayMessages(db, projectId, webhookId, chosen, {
      now,
      limit: AT_ONCE,
    });
    if (messageId !== undefined && replayed === 0)
      throw new ApiError("not_found", "This webhook has no such message that has ended.");
    ctx.describe({ after: { replayed } });
    return { replayed, next: replayed < AT_ONCE || last === null ? null : apiId("msg", last) };
  },
);
