import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import type { Webhook } from "../rules.ts";
import { WEBHOOK_READS } from "../stale.ts";
import { words } from "../words.ts";

/** Switches a webhook on or off, after a question. */
export function SwitchWebhook({ scope, webhook }: { scope: string; webhook: Webhook }) {
  const [wanted, setWanted] = useState<"on" | "off" | null>(null);
  const changing = useChange(scope, "changeWebhook", WEBHOOK_READS);
  const isOn = webhook.state === "on";
  const close = (): void => setWanted(null);
  const act = (): void =>
    changing.mutate(
      { path: { id: webhook.id }, body: { state: wanted === "on" ? "on" : "off" } },
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
        refusal={webhook.offBecause === "brought" ? words.secretFirst : null}
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
        about={wanted === "on" ? words.switchOnAbout(webhook.waiting) : words.switchOffAbout}
        action={wanted === "on" ? words.switchOn : words.switchOff}
      />
    </>
  );
}
