import { Select, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { sizeOf } from "../../../platform/sizes.ts";
import { exactTimeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Older, useBefore } from "../../../ui/lists/older.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { optionsOf } from "../../../ui/options.ts";
import { Section } from "../../../ui/section.tsx";
import { inOrder, listIn, nextLookMs, type Sync, type SyncWindow } from "../rules.ts";
import { windowText } from "../texts.ts";
import { words } from "../words.ts";

const PER_PAGE = 25;

const cellsOf = (window: SyncWindow) => [
  <Stack key="what" gap={2}>
    <Text size="sm" fw={600}>
      {windowText(window)}
    </Text>
    <Text size="xs" c="dimmed" className={long.long}>
      {window.folder}
    </Text>
  </Stack>,
  words.listNames[window.list],
  numberOf(window.rows),
  numberOf(window.files),
  sizeOf(window.bytes),
  <Text key="ended" size="sm">
    {window.endedAt === null ? words.beingWritten : exactTimeOf(window.endedAt)}
  </Text>,
];

/** Reads anew what was written as soon as the sync is further: it may rest from then on, and the list with it. */
function useFurther(scope: string, { progress, isWriting }: Sync): void {
  const queries = useQueryClient();
  const mark = JSON.stringify([progress, isWriting]);
  const seen = useRef(mark);
  useEffect(() => {
    if (seen.current === mark) return;
    seen.current = mark;
    void queries.invalidateQueries({ queryKey: [scope, "listSyncWindows"] });
  }, [mark, queries, scope]);
}

/** What a sync has written, the latest first. The address names the list, and how many of the latest are left out. */
export function Windows({ scope, sync }: { scope: string; sync: Sync }) {
  const [address, change] = useAddress();
  const { before: skip = 0 } = useBefore();
  useFurther(scope, sync);
  const list = listIn(address);
  const found = useOperation(
    scope,
    "listSyncWindows",
    { path: { id: sync.id }, query: { limit: PER_PAGE, skip, ...(list !== undefined && { list }) } },
    { refetchInterval: () => nextLookMs([sync]) },
  );
  const names = Object.fromEntries(inOrder(sync.lists).map((each) => [each, words.listNames[each]]));
  return (
    <Section title={words.windows} about={words.windowsAbout}>
      <Select
        label={words.list}
        maw="16rem"
        data={[{ value: "", label: words.anyList }, ...optionsOf(names)]}
        value={list ?? ""}
        allowDeselect={false}
        onChange={(chosen) => change({ list: chosen ?? "", before: "" })}
      />
      <Loaded query={found}>
        {({ windows, more }) =>
          windows.length === 0 ? (
            <Empty
              title={words.noWindows}
              about={words.noWindowsAbout}
              filtered={
                list !== undefined || skip > 0
                  ? { title: words.noMatch, clear: () => change({ list: "", before: "" }) }
                  : null
              }
            />
          ) : (
            <Stack>
              <Rows
                heads={[words.what, words.list, words.rows, words.filesHead, words.size, words.ended]}
                rows={windows.map((window) => ({
                  id: `${window.list} ${window.until}`,
                  cells: cellsOf(window),
                }))}
              />
              <Older next={more ? skip + PER_PAGE : null} />
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}
