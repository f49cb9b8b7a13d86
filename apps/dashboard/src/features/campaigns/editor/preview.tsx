import {
  Accordion,
  Alert,
  Autocomplete,
  Checkbox,
  Code,
  Group,
  Stack,
  Text,
  useComputedColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useState } from "react";
import { useOperation } from "../../../platform/operations.ts";
import classes from "../../../ui/long.module.css";
import { PreviewFrame } from "../../../ui/preview-frame.tsx";
import { Rows } from "../../../ui/rows.tsx";
import { PushCard } from "./push-card.tsx";
import { words } from "./words.ts";

export type Preview = Answer<"previewMessage">;
type Of<Channel extends Preview["channel"]> = Extract<Preview, { channel: Channel }>;
type Look = { width: number; scheme: "light" | "dark" };

const WIDTHS = { phone: 390, desktop: 960 };

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

function Shown({ preview, look }: { preview: Preview; look: Look }) {
  switch (preview.channel) {
    case "web_inapp":
      return <WebPreview preview={preview} look={look} />;
    case "email":
      return <EmailPreview preview={preview} look={look} />;
    case "push":
      return <PushCard preview={preview} />;
  }
}

/** Finds users while somebody types their id. */
function AsUser({
  scope,
  userId,
  choose,
}: {
  scope: string;
  userId: string;
  choose: (userId: string) => void;
}) {
  const found = useOperation(
    scope,
    "listUsers",
    { query: { perPage: 8, ...(userId !== "" && { q: userId }) } },
    { refetchInterval: false },
  );
  return (
    <Autocomplete
      label={words.as}
      description={words.asAbout}
      maxLength={256}
      data={[...new Set((found.data?.users ?? []).map(({ externalUserId }) => externalUserId))]}
      filter={({ options }) => options}
      value={userId}
      onChange={choose}
    />
  );
}

type Props = {
  scope: string;
  /** The newest one that could be made; null before the first. */
  preview: Preview | null;
  /** Why there is none of what is written now. */
  fault: string | null;
  userId: string;
  choose: (userId: string) => void;
};

/** A message as a chosen user gets it: on a phone or a desktop, in the light or the dark. */
export function PreviewPane({ scope, preview, fault, userId, choose }: Props) {
  const [isPhone, setPhone] = useState(() => window.innerWidth < WIDTHS.phone * 2);
  const own = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const [isDark, setDark] = useState(own === "dark");
  const look = { width: isPhone ? WIDTHS.phone : WIDTHS.desktop, scheme: isDark ? "dark" : "light" } as const;
  return (
    <Stack>
      <AsUser {...{ scope, userId, choose }} />
      {preview?.channel !== "push" && (
        <Group role="group" aria-label={words.look}>
          <Checkbox
            label={words.phone}
            checked={isPhone}
            onChange={({ currentTarget }) => setPhone(currentTarget.checked)}
          />
          <Checkbox
            label={words.dark}
            checked={isDark}
            onChange={({ currentTarget }) => setDark(currentTarget.checked)}
          />
        </Group>
      )}
      {preview === null && (
        <Text c="dimmed" role="status">
          {fault ?? words.nothingToShow}
        </Text>
      )}
      {preview !== null && (
        <div style={{ opacity: fault === null ? 1 : 0.6 }}>
          <Shown preview={preview} look={look} />
        </div>
      )}
      {preview?.remarks.map(({ message, severity, path }) => (
        <Alert key={path + message} color={severity === "error" ? "red" : "yellow"} p="xs">
          {message}
        </Alert>
      ))}
      <Text size="sm" c="dimmed">
        {preview?.channel === "push" ? words.pushAbout : words.previewAbout}
      </Text>
    </Stack>
  );
}
