import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { Webhook } from "./schema.ts";
import { viewWebhook } from "./view.ts";

export const getWebhook = endpoint(
  {
    id: "getWebhook",
    method: "GET",
    path: "/api/v1/webhooks/{id}",
    tag: "Webhooks",
    summary: "Read an address that gets messages, and whether they arrive",
    keys: ["secret"],
    people: "approver",
    budget: "webhooks",
    tool: "The list has the same.",
    params: z.object({ id: pathId.describe("Id of the webhook.") }),
    result: z.object({ webhook: Webhook.describe("The webhook.") }),
    errors: ["not_found"],
  },
  async ({ db, projectId, now }, { params: { id } }) => ({
    webhook: await viewWebhook(db, projectId, id, now),
  }),
);
