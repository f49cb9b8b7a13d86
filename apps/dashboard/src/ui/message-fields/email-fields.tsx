import { Button, Group, SimpleGrid, Stack, Textarea, TextInput } from "@mantine/core";
import { type ReactNode, useRef } from "react";
import { type Cta, fieldWriters, type TextFields, wrapped } from "./content.ts";
import { words } from "./words.ts";

const { samples } = words;
/** What each button writes around the selected text, or around a word that stands for it. */
const TOOLS = [
  { name: words.bold, before: "**", after: "**", stands: samples.bold },
  { name: words.italic, before: "_", after: "_", stands: samples.italic },
  { name: words.heading, before: "\n## ", after: "\n", stands: samples.heading },
  { name: words.list, before: "\n- ", after: "", stands: samples.item },
  { name: words.linkText, before: "[", after: "](https://)", stands: samples.link },
] as const;

/** A text in Markdown, with buttons for what it can have. */
function Markdown({
  value,
  error,
  about,
  change,
}: {
  value: string;
  error: string | undefined;
  about: ReactNode;
  change: (text: string) => void;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const apply = (tool: (typeof TOOLS)[number]): void => {
    const field = area.current;
    if (field === null) return;
    const { text, from, to } = wrapped(field.value, field.selectionStart, field.selectionEnd, tool);
    change(text);
    // The field has the new text once this event is over.
    requestAnimationFrame(() => {
      field.focus();
      field.setSelectionRange(from, to);
    });
  };
  return (
    <Stack gap={6}>
      <Group gap={6} role="toolbar" aria-label={words.tools}>
        {TOOLS.map((tool) => (
          <Button key={tool.name} size="compact-sm" variant="default" onClick={() => apply(tool)}>
            {tool.name}
          </Button>
        ))}
      </Group>
      <Textarea
        ref={area}
        name="body"
        label={words.emailBody}
        description={about}
        maxLength={50_000}
        autosize
        minRows={10}
        maxRows={30}
        value={value}
        error={error}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    </Stack>
  );
}

/** The texts of a mail. */
export function EmailFields({
  content,
  change,
  faultOf,
  about,
  isTemplate,
}: TextFields & { isTemplate: boolean }) {
  const {
    subject,
    previewText,
    body,
    cta = {},
  } = content as {
    subject: string;
    previewText?: string;
    body: string;
    cta?: Cta;
  };
  const write = fieldWriters(content, change);
  const writeCta = fieldWriters(cta, (written) => change({ ...content, cta: written }));
  return (
    <Stack>
      <TextInput
        name="subject"
        label={words.subject}
        maxLength={200}
        value={subject}
        error={faultOf("subject")}
        description={about("subject")}
        onChange={write("subject")}
      />
      <TextInput
        name="previewText"
        label={words.previewText}
        description={about("previewText", words.previewTextAbout)}
        maxLength={200}
        value={previewText ?? ""}
        error={faultOf("previewText")}
        onChange={write("previewText")}
      />
      <Markdown
        value={body}
        error={faultOf("body")}
        about={about("body", isTemplate ? words.dataAbout : words.personalAbout)}
        change={(text) => change({ ...content, body: text })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          name="cta.label"
          label={words.label}
          maxLength={80}
          value={cta.label ?? ""}
          error={faultOf("cta.label") ?? faultOf("cta")}
          description={about("cta.label")}
          onChange={writeCta("label")}
        />
        <TextInput
          name="cta.url"
          label={words.link}
          maxLength={2_048}
          value={cta.url ?? ""}
          error={faultOf("cta.url")}
          description={about("cta.url", words.mailLinkAbout)}
          onChange={writeCta("url")}
        />
      </SimpleGrid>
    </Stack>
  );
}
