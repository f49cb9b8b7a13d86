import { VisuallyHidden } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { PreviewFrame } from "../preview-frame.tsx";
import type { Look } from "./look.tsx";
import { MailParts } from "./mail-parts.tsx";
import { PushCard } from "./push-card.tsx";
import { words } from "./words.ts";

export type Preview = Answer<"previewMessage">;
type PreviewOf<Channel extends Preview["channel"]> = Extract<Preview, { channel: Channel }>;

type OfChannel<Channel extends Preview["channel"]> = {
  preview: PreviewOf<Channel>;
  look: Look;
  title: string;
};

type Texts = { presentation?: string; title?: string; body?: string };
/** Up to so many characters, a toast takes a part of a window. */
const SHORT = 160;

function WebPreview({ preview: { content }, look, title: name }: OfChannel<"web_inapp">) {
  if (content === null) return null;
  const { presentation, title = "", body = "" } = content as Texts;
  const isShort = presentation === "toast" && title.length + body.length <= SHORT;
  return (
    <>
      <VisuallyHidden>{[title, body].filter(Boolean).join(". ")}</VisuallyHidden>
      <PreviewFrame title={name} drawn={{ kind: "web", content, isShort }} {...look} />
    </>
  );
}

function EmailPreview({ preview, look, title }: OfChannel<"email">) {
  const { from, to, subject, html, text, headers, sample } = preview;
  // The remarks say which value the data lacks.
  if (sample !== null && html === null && text === null) return null;
  return (
    <MailParts
      lines={[
        [words.mailFrom, from],
        [words.mailTo, to],
        [words.mailSubject, subject],
      ]}
      html={html}
      text={text}
      headers={headers}
      look={look}
      title={title}
    />
  );
}

type Props = {
  preview: Preview;
  look: Look;
  /** Which of several messages it is, where a page has more than one. */
  name?: string;
};

/** A message as a user gets it, drawn by the code that delivers. */
export function DrawnMessage({ preview, look, name }: Props) {
  const what = words.previewOf[preview.channel];
  const title = name === undefined ? what : words.ofVariant(what, name);
  switch (preview.channel) {
    case "web_inapp":
      return <WebPreview preview={preview} look={look} title={title} />;
    case "email":
      return <EmailPreview preview={preview} look={look} title={title} />;
    case "push":
      return <PushCard preview={preview} look={look} title={title} />;
  }
}
