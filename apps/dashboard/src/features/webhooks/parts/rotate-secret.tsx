import { Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Grace, USUAL_GRACE } from "../../../ui/dialogs/grace.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import type { Webhook } from "../rules.ts";
import { WEBHOOK_READS } from "../stale.ts";
import { words } from "../words.ts";
import { ShownSecret } from "./shown-secret.tsx";

const MINUTES_OF_AN_HOUR = 60;

type Props = { scope: string; webhook: Webhook; close: () => void };

/** Makes another secret, and shows it once. The present one signs beside it for as long as the person chooses. */
export function RotateSecret({ scope, webhook, close }: Props) {
  // What was so when the dialog opened: by the new secret it is another state.
  const [isFirst] = useState(webhook.offBecause === "brought");
  const [grace, setGrace] = useState(USUAL_GRACE);
  const { headers } = useRequestKey();
  const rotating = useChange(scope, "rotateWebhookSecret", WEBHOOK_READS);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const keepHours = grace / MINUTES_OF_AN_HOUR;
    rotating.mutate({ path: { id: webhook.id }, body: { keepHours }, headers });
  };
  const { data } = rotating;
  const until = data?.webhook.formerSecretUntil ?? null;
  return (
    <Dialog opened close={close} title={words.rotate}>
      {data !== undefined ? (
        <ShownSecret
          secret={data.secret}
          about={until === null ? words.formerEnded : words.formerUntil(timeOf(until))}
          close={close}
        />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text>{isFirst ? words.rotateFirst : words.rotateAbout}</Text>
            {!isFirst && <Grace label={words.grace} minutes={grace} choose={setGrace} />}
            <DialogEnd change={rotating} action={words.rotateNow} close={close} hasFocus />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
