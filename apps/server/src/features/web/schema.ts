import { z } from "zod";
import { epochMs, storedAs, text } from "../../platform/http/contract/fields.ts";
import { WebMessage } from "../campaigns/authoring/message/message.pure.ts";

const id = z.string().max(256);

/** The path of a page, as the page sends it. */
export const pagePath = text(2_048)
  .refine((path) => path.startsWith("/"), "must start with /")
  .meta({ pattern: "^/" });

/** A message for a user to see: one delivery of one campaign. */
export const InAppMessage = z
  .object({
    deliveryId: id,
    campaignId: id,
    variantId: id,
    pages: z.array(z.string().max(256)).max(20).nullable(),
    content: storedAs(WebMessage),
  })
  .meta({ id: "InAppMessage" });
export type InAppMessage = z.infer<typeof InAppMessage>;

export const FeedbackType = z.enum(["shown", "clicked", "dismissed", "converted"]);
export type FeedbackType = z.infer<typeof FeedbackType>;

/** The first acknowledgement of a feedback; a repeat answers it unchanged. */
export const FeedbackReceipt = z
  .object({ userId: id, deliveryId: id, type: FeedbackType, receiptId: id, acknowledgedAt: epochMs })
  .meta({ id: "InAppFeedbackReceipt" });
export type FeedbackReceipt = z.infer<typeof FeedbackReceipt>;
