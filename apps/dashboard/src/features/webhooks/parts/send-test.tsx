import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useAddress } from "../../../platform/address.ts";
import { useChange } from "../../../platform/operations.ts";
import { newRequestKey } from "../../../platform/request-key.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import type { Webhook } from "../rules.ts";
import { MESSAGE_READS } from "../stale.ts";
import { words } from "../words.ts";

/** Sends a message that is only there to be seen, and opens it, so that the person sees what the server answers. */
export function SendTest({ scope, webhook }: { scope: string; webhook: Webhook }) {
  const [, change] = useAddress();
  const sending = useChange(scope, "testWebhook", MESSAGE_READS);
  const send = (): void =>
    sending.mutate(
      { path: { id: webhook.id }, headers: { "Idempotency-Key": newRequestKey() } },
      {
        onSuccess({ messageId }) {
          notifications.show({ message: words.tested });
          change({ message: messageId });
        },
      },
    );
  return (
    <Stack gap="xs">
      <RoleButton
        scope={scope}
        needs={"owner" as const}
        loading={sending.isPending}
        refusal={webhook.state === "off" ? words.offFirst : null}
        onClick={send}
      >
        {words.test}
      </RoleButton>
      {sending.error !== null && <Problem error={sending.error} />}
    </Stack>
  );
}
