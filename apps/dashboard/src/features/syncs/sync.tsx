import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { Progress } from "./parts/progress.tsx";
import { SyncActions } from "./parts/sync-actions.tsx";
import { SyncFacts } from "./parts/sync-facts.tsx";
import { Windows } from "./parts/windows.tsx";
import { nextLookMs } from "./rules.ts";
import { placeName } from "./texts.ts";
import { words } from "./words.ts";

export function SyncPage({ scope }: { scope: string }) {
  const id = useNamed("syncId");
  const found = useOperation(
    scope,
    "getSync",
    { path: { id } },
    { refetchInterval: ({ state: { data } }) => nextLookMs(data === undefined ? [] : [data.sync]) },
  );
  const sync = found.data?.sync;
  return (
    <Page
      {...(sync !== undefined && { title: placeName(sync) })}
      actions={sync && <SyncActions key={sync.id} scope={scope} sync={sync} />}
    >
      <Anchor component={Link} to={`/p/${scope}/syncs`} size="sm">
        {words.all}
      </Anchor>
      <Loaded query={found}>
        {({ sync: known }) => (
          <Stack gap="xl">
            <SyncFacts sync={known} />
            <Progress sync={known} />
            <Windows key={known.id} scope={scope} sync={known} />
            <Text size="sm" c="dimmed">
              {timesOf()}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
