import { z } from "zod";
import { answerIds } from "../../../domain/fields.ts";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { count, epochMs, queryInt } from "../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { pageOfUnread } from "./unread-store.ts";

const UnreadAddress = z
  .object({
    address: z.string().max(320).meta({ description: "The address.", example: "ada@example.com" }),
    mails: count.describe("Mails of campaigns that went there in these days, and did not come back."),
    firstAt: epochMs,
    lastAt: epochMs,
    userId: answerIds.user,
    externalUserId: z
      .string()
      .max(256)
      .meta({ description: "The user's id in your product.", example: "ada" }),
  })
  .meta({ id: "UnreadAddress" });

export const listUnreadAddresses = endpoint(
  {
    id: "listUnreadAddresses",
    method: "GET",
    path: "/api/v1/email/unread",
    tag: "Email",
    summary: "List addresses whose reader never opens or clicks",
    description:
      "Those that got at least `mails` mails of campaigns in the last `days` days, of which a person opened or clicked none; the most mails first. What programs of mail providers open by themselves is no person. Mailbox providers judge you by such readers: write to them once more, then stop.",
    keys: ["secret"],
    people: "viewer",
    budget: "reports",
    cost: "heavy",
    oneInstant: true,
    tool: "It names single persons, whom people decide about.",
    query: z.object({
      mails: queryInt(1, 1_000, 10).describe("How many mails at least."),
      days: queryInt(1, 1_000, 180).describe("In how many days up to now."),
      ...pageQuery(),
    }),
    result: z.object({
      addresses: z.array(UnreadAddress).max(100).describe("The addresses."),
      ...pageFields,
    }),
  },
  async ({ db, projectId, now }, { query }) => {
    const { mails, days } = query;
    const window = { mails, since: now - days * DAY_MS };
    const { rows, total } = await pageOfUnread(db, projectId, window, pageWindow(query));
    return {
      addresses: rows.map(({ userKey, externalId, ...row }) => ({
        ...row,
        userId: apiId("eu", userKey),
        externalUserId: externalId,
      })),
      ...pageAnswer(query, total),
    };
  },
);
