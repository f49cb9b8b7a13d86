import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import type { Webhook } from "../rules.ts";
import { words } from "../words.ts";

/** Deletes a webhook with what is known of its messages, after a question. */
export function DeleteWebhook({ scope, webhook }: { scope: string; webhook: Webhook }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const deleting = useChange(scope, "deleteWebhook", ["listWebhooks", "getWaiting"]);
  const act = (): void =>
    deleting.mutate(
      { path: { id: webhook.id } },
      {
        onSuccess() {
          notifications.show({ message: words.deleted });
          void navigate({ to: `/p/${scope}/webhooks` });
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
          deleting.reset();
          setAsking(true);
        }}
      >
        {words.delete}
      </RoleButton>
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        act={act}
        change={deleting}
        title={words.deleteTitle}
        about={words.deleteAbout(webhook.waiting)}
        action={words.delete}
      />
    </>
  );
}
