import { Group } from "@mantine/core";
import { useState } from "react";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import type { Sync } from "../rules.ts";
import { words } from "../words.ts";
import { ChangeLists } from "./change-lists.tsx";
import { DeleteSync } from "./delete-sync.tsx";
import { NewKeys } from "./new-keys.tsx";
import { RunSync } from "./run-sync.tsx";
import { SwitchSync } from "./switch-sync.tsx";

/** What owners do about a sync. */
export function SyncActions({ scope, sync }: { scope: string; sync: Sync }) {
  const [chosen, setChosen] = useState<"lists" | "keys" | null>(null);
  const close = (): void => setChosen(null);
  const owners = { scope, needs: "owner", variant: "default" } as const;
  const { to } = sync;
  return (
    <Group gap="xs" align="flex-start">
      <RunSync scope={scope} sync={sync} />
      <SwitchSync scope={scope} sync={sync} />
      <RoleButton {...owners} onClick={() => setChosen("lists")}>
        {words.changeLists}
      </RoleButton>
      {"s3" in to && (
        <RoleButton {...owners} onClick={() => setChosen("keys")}>
          {words.newKeys}
        </RoleButton>
      )}
      <DeleteSync scope={scope} sync={sync} />
      {chosen === "lists" && <ChangeLists scope={scope} sync={sync} close={close} />}
      {chosen === "keys" && "s3" in to && (
        <NewKeys scope={scope} id={sync.id} bucket={to.s3.bucket} close={close} />
      )}
    </Group>
  );
}
