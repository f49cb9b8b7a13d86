import { VisuallyHidden } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { PreviewFrame } from "../preview-frame.tsx";
import type { Look } from "./look.tsx";
import { MailParts } from "./mail-parts.tsx";
import { PushCard } from "./push-card.tsx";
import { words } from "./words.ts";

export type Preview = Answer<"previewMessage">;
type Of<Channel extends Preview["channel"]> = Extract<Preview, { channel: Channel }>;

function WebPreview({ preview: { content }, look }: { preview: Of<"web_inapp">; look: Look }) {
  if (content === null) return null;
  const { title, body } = content as { title?: string; body?: string };
  return (
    <>
      <VisuallyHidden>{[title, body].filter(Boolean).join(". ")}</VisuallyHidden>
      <PreviewFrame title={words.previewOf.web_inapp} drawn={{ kind: "web", content }} {...look} />
    </>
  );
}

function EmailPreview({ preview, look }: { preview: Of<"email">; look: Look }) {
  const { from, to, subject, html, text, headers } = preview;
  return (
    <MailParts
      lines={[
        [words.mailFrom, from],
        [words.mailTo, to],
        [words.mailSubject, subject],
      ]}
      {...{ html, text, headers, look }}
      title={words.previewOf.email}
    />
  );
}

/** A message as a user gets it, drawn by the code that delivers. */
export function DrawnMessage({ preview, look }: { preview: Preview; look: Look }) {
  switch (preview.channel) {
    case "web_inapp":
      return <WebPreview preview={preview} look={look} />;
    case "email":
      return <EmailPreview preview={preview} look={look} />;
    case "push":
      return <PushCard preview={preview} />;
  }
}
