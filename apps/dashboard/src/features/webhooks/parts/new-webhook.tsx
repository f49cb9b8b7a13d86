import { Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { problemOf } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { words } from "../words.ts";
import { ShownSecret } from "./shown-secret.tsx";
import { isComplete, sentOf, type WebhookDraft, WebhookFields } from "./webhook-fields.tsx";

const AT_FIRST: WebhookDraft = { url: "", description: "", choice: { isAllOthers: false, types: [] } };

/** Makes a webhook, and shows its secret once. */
export function NewWebhook({ scope, close }: { scope: string; close: () => void }) {
  const [draft, setDraft] = useState(AT_FIRST);
  const { headers, renew } = useRequestKey();
  const making = useChange(scope, "createWebhook", ["listWebhooks"]);
  const change = (next: WebhookDraft): void => {
    setDraft(next);
    // What is sent now is another webhook than the one that was refused.
    renew();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { description, ...sent } = sentOf(draft);
    making.mutate({ body: { ...sent, ...(description !== null && { description }) }, headers });
  };
  return (
    <Dialog opened close={close} title={words.makeTitle}>
      {making.data !== undefined ? (
        <ShownSecret secret={making.data.secret} about={words.made} close={close} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <WebhookFields
              draft={draft}
              change={change}
              fault={making.error === null ? null : problemOf(making.error).message}
            />
            <DialogEnd change={making} action={words.makeNow} close={close} disabled={!isComplete(draft)} />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
