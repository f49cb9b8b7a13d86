import { z } from "zod";
import { fileType } from "../file-types.pure.ts";
import {
  base64,
  faultOfRecipients,
  headerName,
  headerValue,
  MOST_HEADERS,
  mailbox,
  mailboxes,
  sendAt,
  subject,
  templateData,
  written,
} from "../mail-fields.pure.ts";

/** What a tag of Resend may be made of. */
const tagText = z
  .string()
  .refine((text) => /^[\w-]{1,256}$/.test(text), "must be 1 to 256 of A-Z, a-z, 0-9, _ and -");

const attachment = z
  .object({
    content: base64.nullish(),
    path: z.string().nullish(),
    filename: z.string().min(1).max(255).nullish(),
    content_type: z.string().min(1).max(255).nullish(),
    content_id: z.string().min(1).max(128).nullish(),
  })
  .check(({ value, issues }) => {
    const at = (field: string, message: string): void =>
      void issues.push({ code: "custom", path: [field], message, input: value });
    if (value.path) at("path", "must be left out: no file is fetched from elsewhere, send its content");
    else if (!value.content) at("content", "must be a file in base64, and not empty");
    else if (!value.filename) at("filename", "must be given");
  })
  .transform(({ content, filename, content_type, content_id }) => ({
    name: filename ?? "",
    contentType: content_type ?? fileType(filename ?? ""),
    content: content ?? Buffer.alloc(0),
    contentId: content_id ?? null,
  }));

const template = z.object({
  id: z.string().min(1).max(64),
  variables: templateData.nullish(),
});

/** What a mail says of its content, whose rules follow from each other. */
type ContentFields = {
  template?: unknown;
  subject?: string | null | undefined;
  html?: string | null | undefined;
  text?: string | null | undefined;
  from?: unknown;
};

/** The field of the content that is wrong, and why; null where nothing is. */
function faultOfContent({
  template: named,
  subject: given,
  html,
  text,
  from,
}: ContentFields): [string, string] | null {
  if (named) {
    if (given) return ["subject", "must be left out: the template has one"];
    if (html || text) return ["template", "must be left out beside html or text"];
    return null;
  }
  if (!from) return ["from", "is required"];
  if (!given) return ["subject", "is required"];
  return html || text ? null : ["html", "is required, or text"];
}

/** A mail, as the body of `POST /emails` has it and each entry of `POST /emails/batch`. */
export const ResendMail = z
  .object({
    from: mailbox.nullish(),
    to: mailboxes,
    cc: mailboxes.nullish(),
    bcc: mailboxes.nullish(),
    reply_to: mailboxes.nullish(),
    subject: subject.nullish(),
    html: written.nullish(),
    text: written.nullish(),
    template: template.nullish(),
    headers: z
      .record(headerName, headerValue)
      .refine((all) => Object.keys(all).length <= MOST_HEADERS, `must be at most ${MOST_HEADERS}`)
      .nullish(),
    attachments: z.array(attachment).nullish(),
    tags: z
      .array(z.object({ name: tagText, value: tagText }))
      .max(75)
      .nullish(),
    scheduled_at: sendAt.nullish(),
    topic_id: z
      .unknown()
      .refine((id) => (id ?? null) === null, "must be left out: receipts have no topic")
      .optional(),
  })
  .check(({ value, issues }) => {
    const many = faultOfRecipients(value.to, value.cc ?? [], value.bcc ?? []);
    const [field, message] = many === null ? (faultOfContent(value) ?? []) : ["to", many];
    if (field !== undefined && message !== undefined)
      issues.push({ code: "custom", path: [field], message, input: value });
  });
export type ResendMail = z.output<typeof ResendMail>;

/** What became of a mail last, in Resend's words. */
export const LAST_EVENTS = [
  "scheduled",
  "queued",
  "sent",
  "delivered",
  "opened",
  "clicked",
  "bounced",
  "complained",
  "failed",
  "suppressed",
] as const;
export type LastEvent = (typeof LAST_EVENTS)[number];

const list = z.array(z.string()).nullable();

/** A mail as `GET /emails/{id}` answers it. */
export const ResendEmail = z.object({
  object: z.literal("email"),
  id: z.string(),
  message_id: z.string().nullable(),
  to: z.array(z.string()),
  from: z.string().nullable(),
  created_at: z.string(),
  subject: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  bcc: list,
  cc: list,
  reply_to: list,
  last_event: z.enum(LAST_EVENTS),
  scheduled_at: z.string().nullable(),
  tags: z.array(z.object({ name: z.string(), value: z.string() })),
});
export type ResendEmail = z.input<typeof ResendEmail>;
