import { notifications } from "@mantine/notifications";
import type { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { hasEnded, type WebhookMessage } from "../rules.ts";
import { words } from "../words.ts";

type Props = {
  scope: string;
  webhookId: string;
  message: WebhookMessage;
  /** The change, whose refusal is shown beside the buttons. */
  replaying: ReturnType<typeof useChange<"replayWebhookMessages">>;
};

/** Has a message sent once more that has ended. */
export function SendAgain({ scope, webhookId, message, replaying }: Props) {
  const { headers, renew } = useRequestKey();
  const send = (): void =>
    replaying.mutate(
      { path: { id: webhookId }, body: { messageId: message.id }, headers },
      {
        onSuccess: () => notifications.show({ message: words.sentAgain }),
        // Pressed once more, it is sent once more.
        onEnd: renew,
      },
    );
  return (
    <RoleButton
      scope={scope}
      needs={"owner" as const}
      loading={replaying.isPending}
      refusal={hasEnded(message) ? null : words.notEnded}
      onClick={send}
    >
      {words.sendAgain}
    </RoleButton>
  );
}
