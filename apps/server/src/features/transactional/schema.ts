import { z } from "zod";
import { answerIds, example, storedUserId } from "../../domain/fields.ts";
import { count, epochMs, instant, jsonObject, text } from "../../platform/http/contract/fields.ts";
import { templateKey } from "../campaigns/authoring/schema.ts";
import { MAX_RECEIPT_DATA } from "../content/email/receipt/message.pure.ts";
import { MAX_FILES, SEND_STATES } from "./rules.ts";

const at = epochMs.nullable();
const address = text(254);

/** The recipient of a mail: a user, or an address. */
export const Recipient = z
  .strictObject({
    userId: storedUserId
      .optional()
      .describe("A user, by your id: the mail goes to their trait `email`. Instead of `email`."),
    email: address.optional().describe("An address, which needs no user. Instead of `userId`."),
    name: text(100).optional().describe("What the mail calls its recipient, beside the address."),
  })
  .meta({ id: "MailRecipient" });

/** A file of a mail, in a request. */
export const AttachmentInput = z
  .strictObject({
    name: text(255).describe("Its file name."),
    contentType: text(255).default("application/octet-stream").describe("Its media type."),
    content: text(10_000_000).describe("Its bytes in base64."),
    contentId: text(255)
      .optional()
      .describe("By which HTML of your own shows it (`cid:…`); it is then no attachment."),
  })
  .meta({ id: "MailAttachment" });

export const SendMailBody = z.object({
  template: templateKey
    .optional()
    .describe("The `key` of a transactional campaign that is live. Instead of `message`."),
  message: z
    .strictObject({
      subject: text(200).describe("The subject."),
      html: text(500_000).optional().describe("HTML, sent as it is."),
      text: text(500_000).optional().describe("Plain text; at least one of both is required."),
    })
    .optional()
    .describe("A mail that your code has written itself. Instead of `template`."),
  to: Recipient.describe("Who gets it."),
  data: jsonObject(MAX_RECEIPT_DATA)
    .default("{}")
    .describe("What the template is filled with, as `{{ data.… }}`."),
  replyTo: address.optional().describe("Where answers go."),
  sendAt: instant
    .optional()
    .describe("When it leaves, at most 30 days ahead; at once where it is left out, or in the past."),
  attachments: z
    .array(AttachmentInput)
    .max(MAX_FILES)
    .default([])
    .describe("Files: at most 10, of 7 MB together, and no programs."),
});

export const SendState = z.enum(SEND_STATES).meta({
  description:
    "`waiting` to leave, `sending` now, `sent` (the mail server took it), `delivered`, `bounced`, `complained` (reported as spam), `suppressed` (the address takes no such mail), `failed`, or `unknown` (handed over, and no answer came).",
  example: "delivered",
});

const sendFields = {
  id: z.string().max(128).meta({
    description: "Id of the mail, which is that of its delivery.",
    example: example.delivery,
  }),
  state: SendState,
};

/** What was made of a request. */
export const RequestedSend = z.object(sendFields).meta({ id: "RequestedMail" });

/** A transactional mail. What was requested is null once it is not kept any more. */
export const Send = z
  .object({
    ...sendFields,
    template: z
      .string()
      .max(64)
      .nullable()
      .meta({ description: "The key of its template; null where your code wrote it.", example: "receipt" }),
    campaignId: answerIds.campaign,
    externalUserId: answerIds.externalUser,
    to: z
      .string()
      .max(320)
      .nullable()
      .meta({ description: "The address that it goes to.", example: "ada@example.com" }),
    subject: z
      .string()
      .max(1_000)
      .nullable()
      .meta({ description: "Its subject; null where the template is sensitive.", example: "Your receipt" }),
    tags: z
      .record(z.string().max(256), z.string().max(256))
      .describe("Words that the request gave it, by their names."),
    reason: z.string().max(1_000).nullable().meta({
      description: "Why it waits or did not arrive; null where there is nothing to say.",
      example: null,
    }),
    requestedAt: epochMs,
    sendAt: at.describe("When it was to leave; null for at once."),
    sentAt: at.describe("When the mail server took it, epoch milliseconds; null until then."),
    deliveredAt: at.describe("When it arrived, epoch milliseconds; null until then."),
    openedAt: at.describe("When it was opened, epoch milliseconds; null until then."),
    clickedAt: at.describe("When a link was followed, epoch milliseconds; null until then."),
    bouncedAt: at.describe("When it bounced, epoch milliseconds; null until then."),
    complainedAt: at.describe("When it was reported as spam, epoch milliseconds; null until then."),
  })
  .meta({ id: "TransactionalMail" });
export type Send = z.infer<typeof Send>;

/** One attempt to hand a mail over. */
export const Attempt = z
  .object({
    number: count.meta({ description: "1 for the first.", example: 1 }),
    startedAt: epochMs,
    outcome: z.string().max(40).nullable().meta({
      description: "`accepted`, `deferred`, `rejected` or `unknown`; null while it runs.",
      example: "accepted",
    }),
    endedAt: at.describe("When it ended, epoch milliseconds; null while it runs."),
    code: z.int().nullable().meta({ description: "The code of the mail server's answer.", example: 250 }),
    response: z
      .string()
      .max(2_000)
      .nullable()
      .meta({ description: "The mail server's answer.", example: "250 2.0.0 OK" }),
  })
  .meta({ id: "MailAttempt" });

export const SendDetail = Send.extend({
  data: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("What it is filled with; null where the template is sensitive, or it is not kept any more."),
  files: z
    .array(
      z.object({
        name: z.string().max(255).meta({ description: "Its file name.", example: "receipt.pdf" }),
        contentType: z.string().max(255).meta({ description: "Its media type.", example: "application/pdf" }),
        bytes: count.meta({ description: "How many bytes it has.", example: 20_480 }),
      }),
    )
    .max(MAX_FILES)
    .describe("Its files, while they are kept."),
  attempts: z.array(Attempt).max(100).describe("The attempts to hand it over, the first one first."),
}).meta({ id: "TransactionalMailDetail" });
export type SendDetail = z.infer<typeof SendDetail>;
