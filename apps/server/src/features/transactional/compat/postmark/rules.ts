import type { NamedAddress } from "../../request.pure.ts";
import { dataOf, type SharedMail } from "../copies.pure.ts";
import type { PostmarkMail, PostmarkTemplatedMail } from "./schema.ts";

/** What Postmark calls the fields of a mail. */
export const POSTMARK_NAMES = {
  from: "From",
  to: "To",
  data: "TemplateModel",
  message: "HtmlBody",
  headers: "Headers",
  attachments: "Attachments",
};

type Shared = Omit<PostmarkMail, "Subject" | "HtmlBody" | "TextBody">;

/** What a mail is marked with: its metadata, its tag, and its stream where that is not the usual one. */
const tagsOf = ({ Tag, Metadata, MessageStream }: Shared): Record<string, string> => ({
  ...(MessageStream && MessageStream !== "outbound" ? { MessageStream } : {}),
  ...(Tag ? { Tag } : {}),
  ...Metadata,
});

const withoutContent = (mail: Shared): Omit<SharedMail, "content"> => ({
  from: mail.From,
  to: mail.To,
  cc: mail.Cc ?? [],
  bcc: mail.Bcc ?? [],
  replyTo: mail.ReplyTo ?? [],
  headers: (mail.Headers ?? []).map(({ Name, Value }) => [Name, Value]),
  attachments: mail.Attachments ?? [],
  sendAt: null,
  tags: tagsOf(mail),
});

/** A mail of Postmark with its own content, as one that is sent here. */
export function mailOfPostmark(mail: PostmarkMail): SharedMail {
  const { Subject: subject, HtmlBody: html, TextBody: text } = mail;
  return {
    ...withoutContent(mail),
    content: { own: { subject, html: html || null, text: text || null } },
  };
}

/** A mail of Postmark of a template, as one that is sent here: a template has the alias, or the id in digits, as its key. */
export function templatedMailOfPostmark(mail: PostmarkTemplatedMail): SharedMail {
  const { TemplateAlias, TemplateId, TemplateModel } = mail;
  return {
    ...withoutContent(mail),
    content: { template: TemplateAlias ?? String(TemplateId), data: dataOf(TemplateModel) },
  };
}

const mailboxText = ({ name, address }: NamedAddress): string =>
  name === null ? address : `"${name.replaceAll(/["\\]/g, "\\$&")}" <${address}>`;

/** A list of mailboxes as Postmark writes it. */
export const writtenList = (mailboxes: readonly NamedAddress[]): string =>
  mailboxes.map(mailboxText).join(", ");

/** What Postmark says of a mail that reaches none of its recipients, which its libraries read. */
export const allInactive = (addresses: readonly string[]): string =>
  `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${addresses.join(", ")}. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.`;

/** The same of one that reaches some of them. */
export const someInactive = (addresses: readonly string[]): string =>
  `Message OK, but will not deliver to these inactive addresses: ${addresses.join(", ")}`;
