import { z } from "zod";
import { answerIds } from "../../../domain/fields.ts";
import { epochMs, text } from "../../../platform/http/contract/fields.ts";
import { parseAddress } from "./rules.ts";

/** Why an address gets no mail. */
export const SuppressedBy = z
  .enum(["unsubscribed", "bounced", "complained", "manual"])
  .describe(
    "unsubscribed: its owner asked for no more. bounced: it does not exist. complained: its owner reported mail as spam. manual: a person decided it.",
  );

/** Why an address gets no receipts, and since when. */
export const ReceiptsStoppedBy = z
  .enum(["bounced", "complained", "manual"])
  .nullable()
  .describe(
    "Why it gets no receipts (transactional mail); null where it does. complained: its owner reported a receipt as spam. Unsubscribing stops no receipts.",
  );
export const receiptsStoppedAt = epochMs
  .nullable()
  .describe("Since when it gets no receipts, epoch milliseconds; null where it does.");

/** An address in a body, in the form in which it is kept. */
export const emailAddress = text(320).transform((typed, ctx): string => {
  const found = parseAddress(typed);
  if (found !== null) return found.address;
  ctx.issues.push({ code: "custom", message: "must be an email address", input: typed });
  return z.NEVER;
});

export const SuppressedAddress = z
  .object({
    address: z
      .string()
      .max(320)
      .nullable()
      .describe("Null where its user was erased: only a hash keeps mail from it."),
    reason: SuppressedBy.nullable().describe(
      "Why it gets no mail of campaigns; null where it does, and only receipts are stopped.",
    ),
    suppressedAt: epochMs
      .nullable()
      .describe("Since when it gets no mail of campaigns, epoch milliseconds; null where it does."),
    receiptsStoppedBy: ReceiptsStoppedBy,
    receiptsStoppedAt,
    by: z.string().max(256).nullable().describe("Who decided it, where a person did."),
    campaign: z
      .object({
        id: z.string().max(128).describe("Id of the campaign."),
        name: z.string().max(80).describe("Its name."),
      })
      .nullable()
      .describe("The campaign after whose mail it left; null where no mail was the reason."),
    user: z
      .object({
        id: z.string().max(128).describe("Id of the user in Tidings."),
        externalUserId: answerIds.externalUser,
      })
      .nullable()
      .describe("Who has the address, as far as mail went there."),
  })
  .meta({ id: "SuppressedAddress" });

/** What came of a decision about an address. */
export const SuppressionDecided = z.object({
  address: z.string().max(320),
  before: SuppressedBy.nullable().describe("Why it got no mail before; null where it did."),
  changed: z.boolean().describe("Whether the decision changed anything."),
});
