import { Group } from "@mantine/core";
import { useState } from "react";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import type { Webhook } from "../rules.ts";
import { words } from "../words.ts";
import { ChangeWebhook } from "./change-webhook.tsx";
import { DeleteWebhook } from "./delete-webhook.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { SendTest } from "./send-test.tsx";
import { SwitchWebhook } from "./switch-webhook.tsx";

/** What owners do about a webhook. */
export function WebhookActions({ scope, webhook }: { scope: string; webhook: Webhook }) {
  const [chosen, setChosen] = useState<"change" | "rotate" | null>(null);
  const close = (): void => setChosen(null);
  const owners = { scope, needs: "owner", variant: "default" } as const;
  return (
    <Group gap="xs" align="flex-start">
      <SendTest scope={scope} webhook={webhook} />
      <SwitchWebhook scope={scope} webhook={webhook} />
      <RoleButton {...owners} onClick={() => setChosen("change")}>
        {words.change}
      </RoleButton>
      <RoleButton {...owners} onClick={() => setChosen("rotate")}>
        {words.rotate}
      </RoleButton>
      <DeleteWebhook scope={scope} webhook={webhook} />
      {chosen === "change" && <ChangeWebhook scope={scope} webhook={webhook} close={close} />}
      {chosen === "rotate" && <RotateSecret scope={scope} webhook={webhook} close={close} />}
    </Group>
  );
}
