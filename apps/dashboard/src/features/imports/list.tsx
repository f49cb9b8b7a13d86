import { Anchor, Badge, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../platform/address.ts";
import { numberOf, percentOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Empty } from "../../ui/lists/empty.tsx";
import { PagedRows } from "../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { NewFile } from "./parts/new-file.tsx";
import { type ImportFile, lookAgainMs, shareRead, stageOf } from "./rules.ts";
import { stateWord, words } from "./words.ts";

const PER_PAGE = 25;

type OfScope = { scope: string };

const LOOKS: Readonly<Record<ImportFile["state"], { variant: string; color?: string }>> = {
  waiting: { variant: "default" },
  running: { variant: "filled" },
  stopped: { variant: "light" },
  done: { variant: "default" },
  failed: { variant: "filled", color: "red" },
};

/** How far a file is, as a word; the look only helps to find it. */
function FileState({ file }: { file: ImportFile }) {
  const share = file.state === "running" ? shareRead(file) : null;
  return (
    <Stack gap={2} align="flex-start">
      <Badge {...LOOKS[file.state]}>{stateWord(file, stageOf(file) === "uploading")}</Badge>
      {share !== null && (
        <Text size="xs" c="dimmed">
          {words.share(percentOf(share))}
        </Text>
      )}
    </Stack>
  );
}

/** What a file brought; nothing of one that was only tried, or not started. */
const figureOf = ({ startedAt, isDryRun }: ImportFile, figure: number): string | null =>
  startedAt === null || isDryRun ? null : numberOf(figure);

const cellsOf = (scope: string, file: ImportFile) => [
  <Anchor key="name" component={Link} to={`/p/${scope}/import/${file.id}`} fw={600} className={classes.long}>
    {file.name}
  </Anchor>,
  words.kinds[file.kind],
  <FileState key="state" file={file} />,
  figureOf(file, file.written),
  figureOf(file, file.refused),
  words.byAt(file.by, timeOf(file.createdAt)),
];

export function ImportsPage({ scope }: OfScope) {
  const [address, change] = useAddress();
  const files = useOperation(
    scope,
    "listImports",
    { query: { perPage: PER_PAGE, page: pageIn(address) } },
    { refetchInterval: ({ state: { data } }) => lookAgainMs(data?.imports ?? []) },
  );
  return (
    <Page about={words.about}>
      <NewFile scope={scope} />
      <Loaded query={files}>
        {(found) => (
          <PagedRows
            paging={found}
            heads={[words.file, words.what, words.state, words.came, words.refusedHead, words.made]}
            rows={found.imports.map((file) => ({ id: file.id, cells: cellsOf(scope, file) }))}
            empty={
              <Empty
                title={words.none}
                about={words.noneAbout}
                filtered={found.page > 1 ? { title: words.noMatch, clear: () => change({ page: "" }) } : null}
              />
            }
          />
        )}
      </Loaded>
    </Page>
  );
}
