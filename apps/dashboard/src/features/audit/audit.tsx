import { Badge, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf, zoneName } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/long.module.css";
import { Page } from "../../ui/page.tsx";
import { Rows } from "../../ui/rows.tsx";
import { changeOf, type Entry, type Names, targetOf } from "./changes.ts";
import { words } from "./words.ts";

const PER_PAGE = 50;

function What({ entry }: { entry: Entry }) {
  const target = targetOf(entry);
  return (
    <>
      <Text size="sm">{words.operations[entry.operation] ?? entry.operation}</Text>
      {target !== null && (
        <Text size="xs" c="dimmed" className={classes.long}>
          {target}
        </Text>
      )}
    </>
  );
}

const cellsOf = (entry: Entry, names: Names) => [
  timeOf(entry.at),
  <Group key="who" gap="xs">
    {entry.by.name}
    {entry.by.kind === "command" && <Badge variant="default">{words.command}</Badge>}
  </Group>,
  <What key="what" entry={entry} />,
  <Text key="change" size="sm" className={classes.long}>
    {changeOf(entry, names)}
  </Text>,
];

export function AuditPage({ scope }: { scope: string }) {
  const { projects } = useMe();
  const [before, setBefore] = useState<number | null>(null);
  const entries = useOperation(scope, "listAuditEntries", {
    query: { limit: PER_PAGE, ...(before !== null && { before }) },
  });
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  return (
    <Page about={words.about(zoneName())}>
      <Loaded of={entries}>
        {({ entries: found, next }) => (
          <>
            {found.length === 0 ? (
              <Text>{words.empty}</Text>
            ) : (
              <Rows
                heads={[words.when, words.who, words.what, words.change]}
                rows={found.map((entry) => ({ id: entry.id, cells: cellsOf(entry, names) }))}
              />
            )}
            <Group mt="md">
              {before !== null && (
                <Button variant="default" onClick={() => setBefore(null)}>
                  {words.newest}
                </Button>
              )}
              {next !== null && (
                <Button variant="default" onClick={() => setBefore(next)}>
                  {words.older}
                </Button>
              )}
            </Group>
          </>
        )}
      </Loaded>
    </Page>
  );
}
