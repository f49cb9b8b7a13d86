import { Badge, Button, Code, Group, Text } from "@mantine/core";
import { useState } from "react";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import classes from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { type Key, type KeyKind, maskOf } from "../rules.ts";
import { words } from "../words.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";
import { Revoke } from "./revoke.tsx";

type Props = { scope: string; kind: KeyKind; keys: readonly Key[] };

function Name({ apiKey }: { apiKey: Key }) {
  return (
    <Group gap="xs">
      <Code className={classes.long}>{maskOf(apiKey)}</Code>
      {apiKey.isLent ? (
        <Badge variant="light">{words.lent}</Badge>
      ) : (
        apiKey.expiresAt !== null && <Badge variant="default">{words.former}</Badge>
      )}
      {apiKey.ending === null && apiKey.publishableKey === null && (
        <Text size="xs" c="dimmed">
          {words.noEnding}
        </Text>
      )}
    </Group>
  );
}

/** The keys of one kind, and what can be done about them. */
export function KeysOfKind({ scope, kind, keys }: Props) {
  const [chosen, setChosen] = useState<"make" | "replace" | null>(null);
  const { title, about } = words.kinds[kind];
  const lasting = keys.filter(({ expiresAt }) => expiresAt === null);
  return (
    <Section
      title={title}
      about={about}
      isFramed
      actions={
        <Group gap="xs">
          <Button variant="default" aria-label={words.makeOf(title)} onClick={() => setChosen("make")}>
            {words.make}
          </Button>
          {lasting.length > 0 && (
            <Button
              variant="default"
              aria-label={words.replaceOf(title)}
              onClick={() => setChosen("replace")}
            >
              {words.replace}
            </Button>
          )}
        </Group>
      }
    >
      {keys.length === 0 ? (
        <Text c="dimmed">{words.none}</Text>
      ) : (
        <Rows
          heads={[words.key, words.made, words.ends, words.actions]}
          rows={keys.map((each) => ({
            id: each.id,
            cells: [
              <Name key="key" apiKey={each} />,
              timeOf(each.createdAt),
              each.expiresAt === null ? words.lasting : timeOf(each.expiresAt),
              <Revoke key="actions" scope={scope} apiKey={each} />,
            ],
          }))}
        />
      )}
      {chosen !== null && (
        <NewKeyDialog
          scope={scope}
          kind={kind}
          replaces={chosen === "replace" ? lasting.length : null}
          close={() => setChosen(null)}
        />
      )}
    </Section>
  );
}
