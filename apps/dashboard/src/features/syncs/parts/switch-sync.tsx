import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import type { Sync } from "../rules.ts";
import { SYNC_READS } from "../stale.ts";
import { words } from "../words.ts";

/** Switches a sync on or off, after a question. */
export function SwitchSync({ scope, sync }: { scope: string; sync: Sync }) {
  const [wanted, setWanted] = useState<"on" | "off" | null>(null);
  const changing = useChange(scope, "changeSync", SYNC_READS);
  const isOn = sync.state === "on";
  const close = (): void => setWanted(null);
  const act = (): void =>
    changing.mutate(
      { path: { id: sync.id }, body: { state: wanted === "on" ? "on" : "off" } },
      {
        onSuccess() {
          close();
          notifications.show({ message: wanted === "on" ? words.switchedOn : words.switchedOff });
        },
      },
    );
  return (
    <>
      <RoleButton
        scope={scope}
        needs={"owner" as const}
        variant="default"
        onClick={() => {
          changing.reset();
          setWanted(isOn ? "off" : "on");
        }}
      >
        {isOn ? words.switchOff : words.switchOn}
      </RoleButton>
      <ConfirmDialog
        opened={wanted !== null}
        close={close}
        act={act}
        change={changing}
        isMild
        title={wanted === "on" ? words.switchOnTitle : words.switchOffTitle}
        about={wanted === "on" ? words.switchOnAbout : words.switchOffAbout}
        action={wanted === "on" ? words.switchOn : words.switchOff}
      />
    </>
  );
}
