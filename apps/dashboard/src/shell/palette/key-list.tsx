import { Kbd, Stack, Text } from "@mantine/core";
import { useMe } from "../../platform/me.ts";
import type { Page } from "../../platform/pages.ts";
import { hasSingleKeys } from "../../platform/single-keys.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { Rows } from "../../ui/lists/rows.tsx";
import { PAGE_KEYS } from "./keys.pure.ts";
import { shownPages } from "./shown-pages.ts";
import { words } from "./words.ts";

type Props = { pages: readonly Page[]; scope: string; close: () => void };

const isApple = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Every key that does something on all pages. */
export function KeyList({ pages, scope, close }: Props) {
  const me = useMe();
  const pageKeys = shownPages(pages, me, scope).flatMap(({ path, label }) => {
    const pageKey = PAGE_KEYS[path];
    return pageKey === undefined ? [] : [[words.both("g", pageKey), words.goTo(label)] as const];
  });
  const mod = isApple() ? "⌘" : "Ctrl";
  const keys = [
    [`${mod} K`, words.palette],
    [`${mod} S`, words.save],
    [`${mod} ↵`, words.main],
    ["/", words.search],
    ["?", words.list],
    ...pageKeys,
  ] as const;
  return (
    <Dialog opened close={close} title={words.keysTitle}>
      <Stack>
        <Text size="sm" c="dimmed">
          {hasSingleKeys() ? words.keysAbout : words.off}
        </Text>
        <Rows
          heads={[words.key, words.does]}
          rows={keys.map(([name, does]) => ({ id: name, cells: [<Kbd key="keys">{name}</Kbd>, does] }))}
        />
      </Stack>
    </Dialog>
  );
}
