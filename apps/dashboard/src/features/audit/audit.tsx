import { Badge, Group, Stack, Text } from "@mantine/core";
import { useAddress } from "../../platform/address.ts";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Empty } from "../../ui/empty.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/long.module.css";
import { Older, useBefore } from "../../ui/older.tsx";
import { Page } from "../../ui/page.tsx";
import { Rows } from "../../ui/rows.tsx";
import { timesOf } from "../../ui/times-of.ts";
import { changeOf, type Entry, type Names, targetOf } from "./changes.ts";
import { operationsOf, operationText } from "./kinds.ts";
import { Export } from "./parts/export.tsx";
import { Filters } from "./parts/filters.tsx";
import { words } from "./words.ts";

const PER_PAGE = 50;

function What({ entry, names }: { entry: Entry; names: Names }) {
  const target = targetOf(entry, names);
  return (
    <>
      <Text size="sm">{operationText(entry.operation)}</Text>
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
  <What key="what" entry={entry} names={names} />,
  <Text key="change" size="sm" className={classes.long}>
    {changeOf(entry, names)}
  </Text>,
];

/** What the address narrows the log to. */
function narrowedBy({ person = "", kind = "" }: Readonly<Record<string, string>>) {
  const operations = operationsOf(kind);
  return { ...(person !== "" && { personId: person }), ...(operations !== undefined && { operations }) };
}

export function AuditPage({ scope }: { scope: string }) {
  const { projects } = useMe();
  const [address, change] = useAddress();
  const before = useBefore();
  const narrowed = narrowedBy(address);
  const entries = useOperation(scope, "listAuditEntries", {
    query: { limit: PER_PAGE, ...narrowed, ...before },
  });
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const isFiltered = Object.keys(narrowed).length > 0;
  const showAll = (): void => change({ person: "", kind: "", before: "" });
  return (
    <Page about={`${words.about} ${timesOf()}`} actions={<Export scope={scope} narrowed={narrowed} />}>
      <Filters scope={scope} />
      <Loaded of={entries}>
        {({ entries: found, next }) => (
          <Stack>
            {found.length === 0 ? (
              <Empty
                title={words.nothing}
                about={words.empty}
                filtered={
                  isFiltered || before.before !== undefined ? { title: words.noMatch, clear: showAll } : null
                }
              />
            ) : (
              <Rows
                heads={[words.when, words.who, words.what, words.change]}
                rows={found.map((entry) => ({ id: entry.id, cells: cellsOf(entry, names) }))}
              />
            )}
            <Older next={next} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
