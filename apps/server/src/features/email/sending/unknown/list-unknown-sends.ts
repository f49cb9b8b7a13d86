import { z } from "zod";
import { answerIds } from "../../../../domain/fields.ts";
import { apiId } from "../../../../domain/ids.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { epochMs } from "../../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { pageOfUnknownSends } from "./store.ts";

const UnknownSend = z
  .object({
    deliveryId: answerIds.delivery,
    campaignId: answerIds.campaign,
    campaignName: z.string().max(200).describe("Its name."),
    campaignStatus: z.string().max(20),
    userId: z.string().max(256).nullable().describe("Your id of the user; null where the user was erased."),
    address: z.string().max(320).nullable().describe("Where it went; null where the user was erased."),
    attemptedAt: epochMs.describe("When it was handed over last, epoch milliseconds."),
    attempts: z.int().min(1).describe("How often it was handed over."),
    reason: z
      .string()
      .max(1_000)
      .nullable()
      .describe("What is known of the moment in which the answer was lost."),
    isSuppressed: z
      .boolean()
      .describe("Whether the address gets no more mail: sent again, it would not leave."),
    resentBy: z.string().max(256).nullable().describe("Who had it sent again last; null where nobody did."),
    resentAt: epochMs.nullable(),
    canResend: z.boolean().describe("Whether its campaign goes on, and its user is there."),
  })
  .meta({ id: "UnknownSend" });

export const listUnknownSends = endpoint(
  {
    id: "listUnknownSends",
    method: "GET",
    path: "/api/people/email/unknown",
    tag: "Email",
    summary: "List mail whose fate is unknown, what was handed over first before the others",
    description:
      "It was handed to a mail server that never said whether it took it. A person decides about it.",
    keys: [],
    people: "viewer",
    oneInstant: true,
    cost: "heavy",
    query: z.object(pageQuery()),
    result: z.object({ sends: z.array(UnknownSend).max(100), ...pageFields }),
  },
  async ({ db, projectId }, { query }) => {
    const { rows, total } = await pageOfUnknownSends(db, projectId, pageWindow(query));
    const sends = rows.map(({ externalUserId: userId, suppressedAt, ...row }) => ({
      ...row,
      userId,
      campaignId: apiId("cmp", row.campaignId),
      isSuppressed: suppressedAt !== null,
      canResend: userId !== null && row.campaignStatus !== "ended",
    }));
    return { sends, ...pageAnswer(query, total) };
  },
);
