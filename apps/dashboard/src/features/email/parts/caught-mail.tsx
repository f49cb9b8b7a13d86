import {
  Accordion,
  Anchor,
  Checkbox,
  Code,
  Group,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
} from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Answer } from "@tidings/client";
import { useState } from "react";
import { search } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/long.module.css";
import { PreviewFrame } from "../../../ui/preview-frame.tsx";
import { Rows } from "../../../ui/rows.tsx";
import { withoutPixel } from "../rules.ts";
import { words } from "../words.ts";

type Mail = Answer<"getCaughtMail">["mail"];

const WIDTHS = { phone: 390, desktop: 960 };

function Lines({ mail: { from, to, recipient, at } }: { mail: Mail }) {
  const lines: [string, string | null][] = [
    [words.mailFrom, from],
    [words.to, to ?? recipient],
    [words.caught, timeOf(at)],
  ];
  return (
    <Stack gap={2}>
      {lines.map(([name, value]) => (
        <Text key={name} size="sm" className={classes.long}>
          <Text span c="dimmed" size="sm">
            {`${name}: `}
          </Text>
          {value}
        </Text>
      ))}
    </Stack>
  );
}

/** The mail in a frame that runs nothing of it, on a phone or a desktop, in the light or the dark. */
function Drawn({ html, pageUrl }: { html: string; pageUrl: string | null }) {
  const [isPhone, setPhone] = useState(() => window.innerWidth < WIDTHS.phone * 2);
  const own = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const [isDark, setDark] = useState(own === "dark");
  return (
    <Stack gap="xs">
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
      <PreviewFrame
        title={words.asReader}
        drawn={{ kind: "mail", html: withoutPixel(html) }}
        width={isPhone ? WIDTHS.phone : WIDTHS.desktop}
        scheme={isDark ? "dark" : "light"}
      />
      <Text size="sm" c="dimmed">
        {words.lookAbout}{" "}
        {pageUrl !== null && (
          <Anchor href={pageUrl} target="_blank" size="sm" underline="always">
            {words.openPage}
          </Anchor>
        )}
      </Text>
    </Stack>
  );
}

function Sources({ mail: { text, headers } }: { mail: Mail }) {
  return (
    <Accordion variant="contained" multiple>
      <Accordion.Item value="plain">
        <Accordion.Control>{words.plain}</Accordion.Control>
        <Accordion.Panel>
          {text === null ? (
            <Text size="sm">{words.noText}</Text>
          ) : (
            <Code
              block
              className={classes.long}
              aria-label={words.plain}
              tabIndex={0}
              style={{ whiteSpace: "pre-wrap" }}
            >
              {text}
            </Code>
          )}
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

/** A mail that was caught: as its reader sees it, as plain text, and its headers. */
export function CaughtMail({ scope, id }: { scope: string; id: string }) {
  const found = useOperation(
    scope,
    "getCaughtMail",
    { path: { mailId: id } },
    // It never changes.
    { refetchInterval: false },
  );
  return (
    <Stack>
      <Anchor component={Link} to="." search={search({ view: "outbox" })} size="sm">
        {words.backToOutbox}
      </Anchor>
      <Loaded of={found}>
        {({ mail }) => (
          <Stack>
            <Title order={2} size="h3" className={classes.long}>
              {mail.subject ?? words.noSubject}
            </Title>
            <Lines mail={mail} />
            {mail.html === null ? (
              <Text>{words.noHtml}</Text>
            ) : (
              <Drawn html={mail.html} pageUrl={mail.pageUrl} />
            )}
            <Sources mail={mail} />
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}
