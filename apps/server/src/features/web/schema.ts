import { z } from "zod";
import { example } from "../../domain/fields.ts";
import { epochMs, storedAs, text } from "../../platform/http/contract/fields.ts";
import { WebMessage } from "../campaigns/authoring/message/message.pure.ts";
import { PagePatterns } from "../campaigns/authoring/schema.ts";

const id = z.string().max(256);

/** The path of a page, as the page sends it. */
export const pagePath = text(2_048)
  .refine((path) => path.startsWith("/"), "must start with /")
  .meta({ pattern: "^/" });

/** A message for a user to see: one delivery of one campaign. */
export const InAppMessage = z
  .object({
    deliveryId: id.meta({
      description: "The delivery: one campaign for one user.",
      example: example.delivery,
    }),
    campaignId: id.meta({ description: "The campaign that it is about.", example: example.campaign }),
    variantId: id.meta({ description: "The variant.", example: example.variant }),
    pages: PagePatterns,
    content: storedAs(WebMessage).meta({
      description: "What it says.",
      example: { presentation: "toast", title: "Twice the reports, half the price" },
    }),
  })
  .meta({ id: "InAppMessage" });
export type InAppMessage = z.infer<typeof InAppMessage>;

export const FeedbackType = z.enum(["shown", "clicked", "dismissed", "converted"]);
export type FeedbackType = z.infer<typeof FeedbackType>;

/** The first acknowledgement of a feedback; a repeat answers it unchanged. */
export const FeedbackReceipt = z
  .object({
    userId: id
      .optional()
      .meta({ description: "The user's id in your product; not there for a visitor.", example: "ada" }),
    anonymousId: id.optional().describe("The visitor's id, where a visitor reports."),
    deliveryId: id.meta({
      description: "The delivery: one campaign for one user.",
      example: example.delivery,
    }),
    type: FeedbackType.describe("What the user did with the message."),
    receiptId: id.meta({ description: "Id of the acknowledgement.", example: "rcp_1" }),
    acknowledgedAt: epochMs,
  })
  .meta({ id: "InAppFeedbackReceipt" });
export type FeedbackReceipt = z.infer<typeof FeedbackReceipt>;
