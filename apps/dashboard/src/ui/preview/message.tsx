import { Accordion, Code, Stack, Text, VisuallyHidden } from "@mantine/core";
import type { Answer } from "@tidings/client";
import classes from "../long.module.css";
import { PreviewFrame } from "../preview-frame.tsx";
import { Rows } from "../rows.tsx";
import type { Look } from "./look.tsx";
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
  const lines: [string, string | null][] = [
    [words.mailFrom, from],
    [words.mailTo, to],
    [words.mailSubject, subject],
  ];
  return (
    <Stack gap="xs">
      {lines.map(([name, value]) => (
        <Text key={name} size="sm" className={classes.long}>
          <Text span c="dimmed" size="sm">
            {`${name}: `}
          </Text>
          {value}
        </Text>
      ))}
      <PreviewFrame title={words.previewOf.email} drawn={{ kind: "mail", html: html ?? "" }} {...look} />
      <Accordion variant="contained">
        <Accordion.Item value="plain">
          <Accordion.Control>{words.plain}</Accordion.Control>
          <Accordion.Panel>
            <Code block className={classes.long}>
              {text}
            </Code>
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="headers">
          <Accordion.Control>{words.headers}</Accordion.Control>
          <Accordion.Panel>
            <Rows
              heads={[words.header, words.value]}
              rows={headers.map(({ name, value }, index) => ({ id: index, cells: [name, value] }))}
            />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
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
