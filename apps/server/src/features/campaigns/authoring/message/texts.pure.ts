import { cutText } from "@tidings/client/text";
import type { EmailMessage } from "../../../content/email/message.pure.ts";
import { wordsOfReceipt } from "../../../content/email/receipt/words.pure.ts";
import { wordsOfMarkdown } from "../../../content/email/words.pure.ts";
import type { PushContent } from "../../../content/push/message.pure.ts";
import { wordsOfTemplate } from "../../../content/template/words.pure.ts";
import { type Channel, MAX_TITLE, type MessageKind } from "../schema.ts";
import type { WebMessage } from "./message.pure.ts";

/** A text of a message that people read, and its place in the message. */
export type MessageText = { field: string; text: string; isMarkdown: boolean; isReceipt: boolean };

type Found = readonly [field: string, text: string | undefined];

function found(kind: MessageKind, content: unknown): readonly Found[] {
  // Contents are checked by the rules of their channel before they are stored.
  switch (kind) {
    case "web_inapp": {
      const { title, body, cta, media } = content as WebMessage;
      return [
        ["title", title],
        ["body", body],
        ["cta.label", cta?.label],
        ["media.alt", media?.alt],
      ];
    }
    case "email":
    case "receipt": {
      const { subject, previewText, body, cta } = content as EmailMessage;
      return [
        ["subject", subject],
        ["previewText", previewText],
        ["body", body],
        ["cta.label", cta?.label],
      ];
    }
    case "push": {
      const { title, body, actions = [], ios } = content as PushContent;
      const titles = actions.map((action, index): Found => [`actions[${index}].title`, action.title]);
      return [["title", title], ["body", body], ["ios.subtitle", ios?.subtitle], ...titles];
    }
  }
}

/** The texts of a message that people read. */
export const messageTexts = (kind: MessageKind, content: unknown): MessageText[] =>
  found(kind, content).flatMap(([field, text]) => {
    const isMarkdown = (kind === "email" || kind === "receipt") && field === "body";
    return text === undefined ? [] : [{ field, text, isMarkdown, isReceipt: kind === "receipt" }];
  });

/** A text as it was written, and as it is read: without markup, and without the traits of a user. */
export const readingsOf = ({ text, isMarkdown, isReceipt }: MessageText): string[] => {
  if (isReceipt) return [...new Set([text, ...wordsOfReceipt(text, isMarkdown)])];
  const read = isMarkdown ? wordsOfMarkdown(text) : wordsOfTemplate(text);
  return read === null || read === text ? [text] : [text, read];
};

const TITLES = ["title", "subject", "body"];

/**
 * What a user without traits reads first of a message: its title or subject, or the beginning of its text. It tells messages apart
 * where there is no room for a whole one.
 */
export function titleOf(channel: Channel, content: unknown): string {
  const texts = messageTexts(channel, content).filter(({ field }) => TITLES.includes(field));
  // One after the other: reading the body of a mail takes milliseconds, and hardly ever has a mail no subject.
  for (const text of texts) {
    const read = readingsOf(text).at(-1) ?? "";
    if (read.trim() !== "") return titleIn(read);
  }
  // A text of personal fields alone says nothing without the traits: then it is shown as it was written.
  return titleIn(texts.find(({ text }) => text.trim() !== "")?.text ?? "");
}

const titleIn = (text: string): string => cutText(text.replaceAll(/\s+/g, " ").trim(), MAX_TITLE);

const OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/;
/** How an argument of a personal field can be written so that it becomes such a character. */
const WRITTEN_OVERRIDE = /\\u(202[a-e]|206[6-9])/i;

/**
 * Whether a text has characters that embed, override or isolate a direction of writing, also where it has them as entities of Markdown or
 * in the arguments of a personal field. Marks of a single character (U+200E, U+200F, U+061C), which languages need, are none of these.
 */
export const hasOverride = (text: MessageText): boolean =>
  OVERRIDE.test(text.text) ||
  WRITTEN_OVERRIDE.test(text.text) ||
  (text.isMarkdown && text.text.includes("&#") && readingsOf(text).some((each) => OVERRIDE.test(each)));
