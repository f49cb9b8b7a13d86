import { Anchor, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Answer } from "@tidings/client";
import { search } from "../../../../platform/address.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { timeOf } from "../../../../platform/times.ts";
import { Loaded } from "../../../../ui/loaded.tsx";
import classes from "../../../../ui/look/long.module.css";
import { LookChoice, useLook } from "../../../../ui/preview/look.tsx";
import { MailParts } from "../../../../ui/preview/mail-parts.tsx";
import { withoutPixel } from "../../rules.ts";
import { words } from "../../words.ts";

type Mail = Answer<"getCaughtMail">["mail"];

function Drawn({ mail }: { mail: Mail }) {
  const { from, to, recipient, at, html, text, headers, pageUrl } = mail;
  const choice = useLook();
  return (
    <MailParts
      lines={[
        [words.mailFrom, from],
        [words.to, to ?? recipient],
        [words.caught, timeOf(at)],
      ]}
      html={html === null ? null : withoutPixel(html)}
      text={text}
      headers={headers}
      look={choice.look}
      title={words.asReader}
    >
      {html !== null && (
        <>
          <Text size="sm" c="dimmed">
            {words.lookAbout}{" "}
            {pageUrl !== null && (
              <Anchor href={pageUrl} target="_blank" size="sm" underline="always">
                {words.openPage}
              </Anchor>
            )}
          </Text>
          <LookChoice {...choice} />
        </>
      )}
    </MailParts>
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
        {words.backToCaught}
      </Anchor>
      <Loaded query={found}>
        {({ mail }) => (
          <Stack>
            <Title order={2} size="h3" className={classes.long}>
              {mail.subject ?? words.noSubject}
            </Title>
            <Drawn mail={mail} />
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}
