import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { MOST_WEBHOOKS, Webhook } from "./schema.ts";
import { listWebhookRows } from "./store.ts";
import { toWebhook } from "./view.ts";

export const listWebhooks = endpoint(
  {
    id: "listWebhooks",
    method: "GET",
    path: "/api/v1/webhooks",
    tag: "Webhooks",
    summary: "List the addresses that get messages about what happens",
    keys: ["secret"],
    people: "approver",
    budget: "webhooks",
    tool: {},
    result: z.object({
      webhooks: z.array(Webhook).max(MOST_WEBHOOKS).describe("The webhooks, the oldest first."),
    }),
  },
  async ({ db, projectId, now }) => ({
    webhooks: (await listWebhookRows(db, projectId)).map((row) => toWebhook(row, now)),
  }),
);
