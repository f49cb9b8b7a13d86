import { Badge, Group, Stack, Text } from "@mantine/core";
import { useAddress } from "../../platform/address.ts";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Empty } from "../../ui/lists/empty.tsx";
import { Older, useBefore } from "../../ui/lists/older.tsx";
import { Rows } from "../../ui/lists/rows.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { To } from "../../ui/to.tsx";
import { type AuditEntry, type AuditNames, describeChange, type NamedThing, targetOf } from "./changes.ts";
import { type AuditKinds, operationsIn, operationText, useKinds } from "./kinds.ts";
import { AuditFilters } from "./parts/audit-filters.tsx";
import { Export } from "./parts/export.tsx";
import { words } from "./words.ts";

const PER_PAGE = 50;

const namesIn = (things: readonly { id: string; name: string }[]): AuditNames =>
  new Map(things.map(({ id, name }) => [id, name]));

/** What is read beside an entry: what operations do, names by ids, and the things that entries name. */
type Beside = { scope: string; kinds: AuditKinds; names: AuditNames; named: readonly NamedThing[] };

function What({ entry, scope, kinds, names, named }: Beside & { entry: AuditEntry }) {
  const target = targetOf(entry, names, named);
  return (
    <>
      <Text size="sm">{operationText(kinds, entry.operation)}</Text>
      {target !== null && target.path === null && (
        <Text size="xs" c="dimmed" className={classes.long}>
          {target.text}
        </Text>
      )}
      {target !== null && target.path !== null && (
        <To
          scope={entry.projectId ?? scope}
          path={target.path}
          {...(target.search !== undefined && { search: target.search })}
        >
          {target.text}
        </To>
      )}
    </>
  );
}

const cellsOf = (entry: AuditEntry, beside: Beside) => [
  timeOf(entry.at),
  <Group key="actor" gap="xs">
    {entry.by.name}
    {entry.by.kind === "command" && <Badge variant="default">{words.command}</Badge>}
  </Group>,
  <What key="what" entry={entry} {...beside} />,
  <Text key="change" size="sm" className={classes.long}>
    {describeChange(entry, beside.names)}
  </Text>,
];

/** What the address narrows the log to. */
function narrowedBy({ person = "", kind = "" }: Readonly<Record<string, string>>, kinds: AuditKinds) {
  const operations = operationsIn(kinds, kind);
  return { ...(person !== "" && { personId: person }), ...(operations !== undefined && { operations }) };
}

export function AuditPage({ scope }: { scope: string }) {
  const { projects } = useMe();
  const [address, change] = useAddress();
  const before = useBefore();
  const kinds = useKinds(scope);
  const narrowed = narrowedBy(address, kinds.data?.kinds ?? []);
  const query = { limit: PER_PAGE, ...narrowed, ...before };
  // What the log is narrowed to is not known before the kinds are.
  const enabled = (address.kind ?? "") === "" || !kinds.isPending;
  const entries = useOperation(scope, "listAuditEntries", { query }, { enabled });
  const isFiltered = Object.keys(narrowed).length > 0;
  const showAll = (): void => change({ person: "", kind: "", before: "" });
  return (
    <Page about={`${words.about} ${timesOf()}`} actions={<Export scope={scope} narrowed={narrowed} />}>
      <Loaded query={kinds}>
        {({ kinds: known }) => (
          <>
            <AuditFilters scope={scope} kinds={known} />
            <Loaded query={entries}>
              {({ entries: found, named, next }) => (
                <Stack>
                  {found.length === 0 ? (
                    <Empty
                      title={words.nothing}
                      about={words.empty}
                      filtered={
                        isFiltered || before.before !== undefined
                          ? { title: words.noMatch, clear: showAll }
                          : null
                      }
                    />
                  ) : (
                    <Rows
                      heads={[words.when, words.actor, words.what, words.change]}
                      rows={found.map((entry) => ({
                        id: entry.id,
                        cells: cellsOf(entry, {
                          scope,
                          kinds: known,
                          named,
                          names: namesIn([...projects, ...named]),
                        }),
                      }))}
                    />
                  )}
                  <Older next={next} />
                </Stack>
              )}
            </Loaded>
          </>
        )}
      </Loaded>
    </Page>
  );
}
