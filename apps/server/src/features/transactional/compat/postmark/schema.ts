import { z } from "zod";
import {
  base64,
  faultOfRecipients,
  headerName,
  headerValue,
  MOST_HEADERS,
  mailbox,
  mailboxes,
  subject,
  templateData,
  written,
} from "../mail-fields.pure.ts";

const attachment = z
  .object({
    Name: z.string().min(1).max(255),
    Content: base64,
    ContentType: z.string().min(1).max(255),
    ContentID: z.string().min(1).max(128).nullish(),
    ContentLength: z.number().nullish(),
    Disposition: z.string().nullish(),
  })
  .transform(({ Name: name, Content: content, ContentType: contentType, ContentID: id }) => ({
    name,
    content,
    contentType,
    // In the text of the mail, as in Postmark's own examples, it has the prefix that links to it.
    contentId: id?.replace(/^cid:/, "") ?? null,
  }));

/** The stream of Postmark for newsletters, as it is called until it is renamed. */
const BROADCAST = "broadcast";

const MOST_METADATA = 50;

/** What a mail has in any case. */
const shared = {
  From: mailbox,
  To: mailboxes,
  Cc: mailboxes.nullish(),
  Bcc: mailboxes.nullish(),
  ReplyTo: mailboxes.nullish(),
  Headers: z
    .array(z.object({ Name: headerName, Value: headerValue }))
    .max(MOST_HEADERS)
    .nullish(),
  Attachments: z.array(attachment).nullish(),
  Tag: z.string().max(256).nullish(),
  Metadata: z
    .record(z.string().min(1).max(80), z.string().max(256))
    .refine((all) => Object.keys(all).length <= MOST_METADATA, `must be at most ${MOST_METADATA}`)
    .nullish(),
  MessageStream: z
    .string()
    .max(80)
    .refine(
      (name) => name !== BROADCAST,
      "must be a stream of receipts: send newsletters to an audience, as campaigns",
    )
    .nullish(),
  TrackOpens: z.boolean().nullish(),
  TrackLinks: z.string().nullish(),
};

type Recipients = Pick<z.output<z.ZodObject<typeof shared>>, "To" | "Cc" | "Bcc">;

const faultOf = ({ To, Cc, Bcc }: Recipients): string | null => faultOfRecipients(To, Cc ?? [], Bcc ?? []);

/** A mail with its own content, as the body of `POST /email`. */
export const PostmarkMail = z
  .object({
    ...shared,
    Subject: subject.min(1, "must not be empty"),
    HtmlBody: written.nullish(),
    TextBody: written.nullish(),
  })
  .check(({ value, issues }) => {
    const many = faultOf(value);
    if (many !== null) issues.push({ code: "custom", path: ["To"], message: many, input: value });
    else if (!value.HtmlBody && !value.TextBody)
      issues.push({ code: "custom", path: ["HtmlBody"], message: "is required, or TextBody", input: value });
  });
export type PostmarkMail = z.output<typeof PostmarkMail>;

/** A mail of a template, as the body of `POST /email/withTemplate`. */
export const PostmarkTemplatedMail = z
  .object({
    ...shared,
    TemplateId: z.int().min(1).nullish(),
    TemplateAlias: z.string().min(1).max(64).nullish(),
    TemplateModel: templateData,
    InlineCss: z.boolean().nullish(),
  })
  .check(({ value, issues }) => {
    const many = faultOf(value);
    if (many !== null) issues.push({ code: "custom", path: ["To"], message: many, input: value });
    const { TemplateId: id, TemplateAlias: alias } = value;
    if ((id ?? null) === null && (alias ?? null) === null)
      issues.push({
        code: "custom",
        path: ["TemplateAlias"],
        message: "is required, or TemplateId",
        input: value,
      });
    else if ((id ?? null) !== null && (alias ?? null) !== null)
      issues.push({
        code: "custom",
        path: ["TemplateId"],
        message: "must be left out beside TemplateAlias",
        input: value,
      });
  });
export type PostmarkTemplatedMail = z.output<typeof PostmarkTemplatedMail>;

/** What Postmark answers of a mail that it took. */
export const PostmarkTaken = z.object({
  To: z.string(),
  Cc: z.string().optional(),
  Bcc: z.string().optional(),
  SubmittedAt: z.string(),
  MessageID: z.string(),
  ErrorCode: z.literal(0),
  Message: z.string(),
});

/** What Postmark answers of a mail in a batch. */
export const PostmarkOutcome = z.union([
  PostmarkTaken,
  z.object({ ErrorCode: z.int().min(1), Message: z.string() }),
]);
export type PostmarkOutcome = z.output<typeof PostmarkOutcome>;
