import { Badge, Button, Group, Text } from "@mantine/core";
import { useAddress } from "../../platform/address.ts";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf, zoneName } from "../../platform/times.ts";
import { Empty } from "../../ui/empty.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/long.module.css";
import { Page } from "../../ui/page.tsx";
import { Rows } from "../../ui/rows.tsx";
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
  const { before = "" } = address;
  const narrowed = narrowedBy(address);
  const entries = useOperation(scope, "listAuditEntries", {
    query: { limit: PER_PAGE, ...narrowed, ...(/^[1-9]\d{0,8}$/.test(before) && { before: Number(before) }) },
  });
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const isFiltered = Object.keys(narrowed).length > 0;
  const showAll = (): void => change({ person: "", kind: "", before: "" });
  return (
    <Page about={words.about(zoneName())} actions={<Export scope={scope} narrowed={narrowed} />}>
      <Filters scope={scope} />
      <Loaded of={entries}>
        {({ entries: found, next }) => (
          <>
            {found.length === 0 ? (
              <Empty
                title={words.nothing}
                about={words.empty}
                filtered={isFiltered || before !== "" ? { title: words.noMatch, clear: showAll } : null}
              />
            ) : (
              <Rows
                heads={[words.when, words.who, words.what, words.change]}
                rows={found.map((entry) => ({ id: entry.id, cells: cellsOf(entry, names) }))}
              />
            )}
            <Group mt="md">
              {before !== "" && (
                <Button variant="default" onClick={() => change({ before: "" })}>
                  {words.newest}
                </Button>
              )}
              {next !== null && (
                <Button variant="default" onClick={() => change({ before: String(next) })}>
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
