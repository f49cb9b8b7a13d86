import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useOperation } from "../../platform/operations.ts";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Empty } from "../../ui/lists/empty.tsx";
import { Rows } from "../../ui/lists/rows.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { NewSync } from "./parts/new-sync.tsx";
import { SyncBadge } from "./parts/sync-badge.tsx";
import { nextLookMs, type Sync } from "./rules.ts";
import { dueText, filesText, listsText, placeAbout, placeName } from "./texts.ts";
import { words } from "./words.ts";

/** The place as a link to the page of its sync, with where it is. */
const Place = ({ scope, sync }: { scope: string; sync: Sync }) => (
  <Stack gap={2}>
    <Anchor component={Link} to={`/p/${scope}/syncs/${sync.id}`} fw={600} className={classes.long}>
      {placeName(sync)}
    </Anchor>
    <Text size="xs" c="dimmed" className={classes.long}>
      {placeAbout(sync)}
    </Text>
  </Stack>
);

const cellsOf = (scope: string, sync: Sync) => [
  <Place key="place" scope={scope} sync={sync} />,
  listsText(sync.lists),
  filesText(sync),
  <SyncBadge key="state" sync={sync} hasFault />,
  <Text key="next" size="sm" style={{ whiteSpace: "nowrap" }}>
    {dueText(sync)}
  </Text>,
];

export function SyncsPage({ scope }: { scope: string }) {
  const [isMaking, setMaking] = useState(false);
  const found = useOperation(scope, "listSyncs", undefined, {
    refetchInterval: ({ state: { data } }) => nextLookMs(data?.syncs ?? []),
  });
  const make = (
    <RoleButton scope={scope} needs={"owner" as const} onClick={() => setMaking(true)}>
      {words.make}
    </RoleButton>
  );
  return (
    <Page about={words.about} actions={make}>
      <Loaded query={found}>
        {({ syncs }) =>
          syncs.length === 0 ? (
            <Empty title={words.none} about={words.noneAbout} filtered={null} />
          ) : (
            <Stack>
              <Rows
                heads={[words.place, words.lists, words.files, words.state, words.next]}
                rows={syncs.map((sync) => ({ id: sync.id, cells: cellsOf(scope, sync) }))}
              />
              <Text size="sm" c="dimmed">
                {timesOf()}
              </Text>
            </Stack>
          )
        }
      </Loaded>
      {isMaking && found.data !== undefined && (
        <NewSync scope={scope} known={found.data} close={() => setMaking(false)} />
      )}
    </Page>
  );
}
