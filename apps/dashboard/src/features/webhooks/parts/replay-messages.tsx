import { Alert, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { instantOf, localTimeOf, zoneName } from "../../../platform/times.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import type { Webhook } from "../rules.ts";
import { MESSAGE_READS } from "../stale.ts";
import { words } from "../words.ts";

const DAY_MS = 86_400_000;

type Props = { scope: string; webhook: Webhook; close: () => void };

function ReplayDialog({ scope, webhook, close }: Props) {
  const [since, setSince] = useState(() => localTimeOf(Date.now() - DAY_MS));
  const { headers, renew } = useRequestKey();
  const replaying = useChange(scope, "replayWebhookMessages", MESSAGE_READS);
  const { data } = replaying;
  // The next press goes on after what this one has sent again.
  const after = data?.next ?? null;
  const at = instantOf(since);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (at === null) return;
    const body = { since: at, ...(after !== null && { after }) };
    replaying.mutate({ path: { id: webhook.id }, body, headers }, { onEnd: renew });
  };
  return (
    <Dialog opened close={close} title={words.replay}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{words.replayAbout}</Text>
          <TextInput
            type="datetime-local"
            label={words.since}
            description={words.sinceAbout(zoneName())}
            required
            data-autofocus
            value={since}
            onChange={({ currentTarget }) => {
              setSince(currentTarget.value);
              replaying.reset();
            }}
          />
          {data !== undefined && (
            <Alert role="status">
              {words.replayed(data.replayed)} {after !== null && words.replayMore}
            </Alert>
          )}
          <DialogEnd change={replaying} action={words.replayNow} close={close} disabled={at === null} />
        </Stack>
      </form>
    </Dialog>
  );
}

/** Has what was given up since an instant sent once more. */
export function ReplayMessages({ scope, webhook }: Omit<Props, "close">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <RoleButton scope={scope} needs={"owner" as const} variant="default" onClick={() => setOpen(true)}>
        {words.replay}
      </RoleButton>
      {isOpen && <ReplayDialog scope={scope} webhook={webhook} close={() => setOpen(false)} />}
    </>
  );
}
