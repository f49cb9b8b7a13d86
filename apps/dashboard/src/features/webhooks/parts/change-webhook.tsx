import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { problemOf } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { choiceOf, type Webhook } from "../rules.ts";
import { WEBHOOK_READS } from "../stale.ts";
import { words } from "../words.ts";
import { isComplete, sentOf, type WebhookDraft, WebhookFields } from "./webhook-fields.tsx";

type Props = { scope: string; webhook: Webhook; close: () => void };

/** Changes where messages go, and what they are about. */
export function ChangeWebhook({ scope, webhook, close }: Props) {
  const [draft, setDraft] = useState<WebhookDraft>({
    url: webhook.url,
    description: webhook.description ?? "",
    choice: choiceOf(webhook.types),
  });
  const changing = useChange(scope, "changeWebhook", WEBHOOK_READS);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    changing.mutate(
      { path: { id: webhook.id }, body: sentOf(draft) },
      {
        onSuccess() {
          notifications.show({ message: words.saved });
          close();
        },
      },
    );
  };
  return (
    <Dialog opened close={close} title={words.changeTitle}>
      <form onSubmit={submit}>
        <Stack>
          <WebhookFields
            draft={draft}
            change={setDraft}
            fault={changing.error === null ? null : problemOf(changing.error).message}
          />
          <DialogEnd change={changing} action={words.save} close={close} disabled={!isComplete(draft)} />
        </Stack>
      </form>
    </Dialog>
  );
}
