import { Badge, Button, Code, Group, Table, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useState } from "react";
import { useOperation } from "../../platform/operations.ts";
import { timeOf, zoneName } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import classes from "./audit.module.css";
import { words } from "./words.ts";

type Entry = Answer<"listAuditEntries">["entries"][number];

const PER_PAGE = 50;

/** What an entry says of the change: both sides where the operation named them, else the fields that were sent. */
function changeOf({ before, after, fields }: Entry): string[] {
  const sides = [
    ...(before === null ? [] : [`${words.from}: ${JSON.stringify(before)}`]),
    ...(after === null ? [] : [`${words.to}: ${JSON.stringify(after)}`]),
  ];
  return sides.length > 0 || fields.length === 0 ? sides : [words.fields(fields.join(", "))];
}

function EntryRow({ entry }: { entry: Entry }) {
  const { at, by, operation, target } = entry;
  return (
    <Table.Tr>
      <Table.Td className={classes.time}>{timeOf(at)}</Table.Td>
      <Table.Td>
        <Group gap="xs">
          {by.name}
          {by.kind === "command" && <Badge variant="default">{words.command}</Badge>}
        </Group>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{words.operations[operation] ?? operation}</Text>
        {target !== null && (
          <Text size="xs" c="dimmed" className={classes.target}>
            {target}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {changeOf(entry).map((line) => (
          <Code key={line} className={classes.change}>
            {line}
          </Code>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}

export function AuditPage({ scope }: { scope: string }) {
  const [before, setBefore] = useState<number | null>(null);
  const entries = useOperation(scope, "listAuditEntries", {
    query: { limit: PER_PAGE, ...(before !== null && { before }) },
  });
  return (
    <Page title={words.label} about={words.about(zoneName())}>
      <Loaded of={entries}>
        {({ entries: rows, next }) =>
          rows.length === 0 ? (
            <Text>{words.empty}</Text>
          ) : (
            <>
              <Table.ScrollContainer minWidth={640}>
                <Table verticalSpacing="xs">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{words.when}</Table.Th>
                      <Table.Th>{words.who}</Table.Th>
                      <Table.Th>{words.what}</Table.Th>
                      <Table.Th>{words.change}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {rows.map((entry) => (
                      <EntryRow key={entry.id} entry={entry} />
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
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
          )
        }
      </Loaded>
    </Page>
  );
}
