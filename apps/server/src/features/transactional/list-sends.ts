import { z } from "zod";
import { storedUserId } from "../../domain/fields.ts";
import { deliveryId, parseDeliveryId, userRef } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { queryInt, text } from "../../platform/http/contract/fields.ts";
import { findTemplate } from "../campaigns/authoring/public.ts";
import { templateKey } from "../campaigns/authoring/schema.ts";
import { OWN_MAIL } from "./rules.ts";
import { Send, SendState } from "./schema.ts";
import { findSendRow, listSendRows } from "./store.ts";
import { toSend } from "./view.ts";

const MOST = 100;

export const listSends = endpoint(
  {
    id: "listSends",
    method: "GET",
    path: "/api/v1/sends",
    tag: "Transactional mail",
    summary: "List transactional mails, newest first",
    description: "Those of the last `send.keepDays` days, as long as what they were filled with is kept.",
    keys: ["secret", "send"],
    people: "viewer",
    budget: "send",
    tool: "It shows what single people were written, which is for people to look at.",
    oneInstant: true,
    cost: "heavy",
    query: z.object({
      template: z
        .union([templateKey, z.literal(OWN_MAIL)])
        .optional()
        .describe(
          `Only mails of the template with this key; \`${OWN_MAIL}\` for those that your code wrote.`,
        ),
      userId: storedUserId
        .optional()
        .describe("Only mails to this user; `mailto:` and an address for one of whom only that is known."),
      state: SendState.optional().describe("Only mails in this state."),
      before: text(128).optional().describe("Id of a mail: only those that were requested before it."),
      limit: queryInt(1, MOST, 50).describe("How many at most."),
    }),
    result: z.object({
      sends: z.array(Send).max(MOST).describe("The mails."),
      next: z.string().max(128).nullable().meta({
        description: "What to give as `before` for further ones; null where there are none.",
        example: null,
      }),
    }),
    errors: ["not_found"],
  },
  async ({ db, projectId }, { query: { template, userId, state = null, before, limit } }) => {
    const found = template === undefined ? null : await findTemplate(db, projectId, template, "also ended");
    if (template !== undefined && found === null) throw new ApiError("not_found", "Template not found");
    const key = before === undefined ? null : parseDeliveryId(before);
    const from = key === null ? null : await findSendRow(db, projectId, key);
    if (before !== undefined && from === null) throw new ApiError("not_found", "Mail not found");
    const user = userId === undefined ? null : userRef(projectId, userId);
    const filter = { campaignId: found?.id ?? null, user, state, before: from };
    const rows = await listSendRows(db, projectId, filter, limit + 1);
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { sends: page.map(toSend), next: last === undefined ? null : deliveryId(last) };
  },
);
