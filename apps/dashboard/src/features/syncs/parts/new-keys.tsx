import { Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { problemOf } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { SYNC_READS } from "../stale.ts";
import { words } from "../words.ts";
import { type BucketKeys, KeyFields } from "./key-fields.tsx";

type Props = { scope: string; id: string; bucket: string; close: () => void };

/** Gives a sync other keys for its bucket. */
export function NewKeys({ scope, id, bucket, close }: Props) {
  const [keys, setKeys] = useState<BucketKeys>({ accessKeyId: "", secretAccessKey: "" });
  const changing = useChange(scope, "changeSync", SYNC_READS);
  const sent = { accessKeyId: keys.accessKeyId.trim(), secretAccessKey: keys.secretAccessKey.trim() };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    changing.mutate(
      { path: { id }, body: { keys: sent } },
      {
        onSuccess() {
          notifications.show({ message: words.keysChanged });
          close();
        },
      },
    );
  };
  return (
    <Dialog opened close={close} title={words.newKeys}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{words.newKeysAbout(bucket)}</Text>
          <KeyFields
            keys={keys}
            change={setKeys}
            fault={changing.error === null ? null : problemOf(changing.error).message}
            path="keys"
            hasFocus
          />
          <DialogEnd
            change={changing}
            action={words.save}
            close={close}
            disabled={sent.accessKeyId === "" || sent.secretAccessKey === ""}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
