import { Accordion, Code, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Rows } from "../lists/rows.tsx";
import classes from "../look/long.module.css";
import { PreviewFrame } from "../preview-frame.tsx";
import type { Look } from "./look.tsx";
import { words } from "./words.ts";

type Sources = { text: string | null; headers: readonly { name: string; value: string }[] };

type Props = Sources & {
  /** What stands above a mail: from whom it is, and to whom. */
  lines: readonly (readonly [name: string, value: string | null])[];
  /** Null where there is none that can be read. */
  html: string | null;
  /** Names the frame in which the mail is drawn. */
  title: string;
  look: Look;
  /** What is between the lines and the mail. */
  children?: ReactNode;
};

const Line = ({ name, value }: { name: string; value: string | null }) => (
  <Text size="sm" className={classes.long}>
    <Text span c="dimmed" size="sm">
      {`${name}: `}
    </Text>
    {value}
  </Text>
);

const PlainText = ({ text }: { text: string }) => (
  <Code
    block
    className={classes.long}
    // The text scrolls where it is wide, so it has to be reached by the keyboard.
    tabIndex={0}
    aria-label={words.plain}
    style={{ whiteSpace: "pre-wrap" }}
  >
    {text}
  </Code>
);

/** The plain text of a mail, and its headers. */
function MailSources({ text, headers }: Sources) {
  return (
    <Accordion variant="contained" multiple>
      <Accordion.Item value="plain">
        <Accordion.Control>{words.plain}</Accordion.Control>
        <Accordion.Panel>
          {text === null ? <Text size="sm">{words.noText}</Text> : <PlainText text={text} />}
        </Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="headers">
        <Accordion.Control>{words.headers}</Accordion.Control>
        <Accordion.Panel>
          <Rows
            heads={[words.header, words.value]}
            rows={headers.map(({ name, value }, index) => ({
              id: index,
              cells: [
                name,
                <Text key="value" size="sm" className={classes.long}>
                  {value}
                </Text>,
              ],
            }))}
          />
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

/** A mail as its reader sees it, in a frame that runs nothing of it; then as plain text, and its headers. */
export function MailParts({ lines, html, text, headers, title, look, children }: Props) {
  return (
    <Stack>
      <Stack gap={2}>
        {lines.map(([name, value]) => (
          <Line key={name} name={name} value={value} />
        ))}
      </Stack>
      {children}
      {html === null ? (
        <Text>{words.noHtml}</Text>
      ) : (
        <PreviewFrame title={title} drawn={{ kind: "mail", html }} {...look} />
      )}
      <MailSources text={text} headers={headers} />
    </Stack>
  );
}
