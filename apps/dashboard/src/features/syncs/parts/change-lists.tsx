import { Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import type { Sync } from "../rules.ts";
import { SYNC_READS } from "../stale.ts";
import { words } from "../words.ts";
import { ListFields } from "./list-fields.tsx";

type Props = { scope: string; sync: Sync; close: () => void };

/** Changes which lists a sync writes. */
export function ChangeLists({ scope, sync, close }: Props) {
  const [lists, setLists] = useState(sync.lists);
  const changing = useChange(scope, "changeSync", SYNC_READS);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    changing.mutate(
      { path: { id: sync.id }, body: { lists } },
      {
        onSuccess() {
          notifications.show({ message: words.listsChanged });
          close();
        },
      },
    );
  };
  return (
    <Dialog opened close={close} title={words.changeListsTitle}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{words.changeListsAbout}</Text>
          <ListFields lists={lists} change={setLists} />
          <DialogEnd change={changing} action={words.save} close={close} disabled={lists.length === 0} />
        </Stack>
      </form>
    </Dialog>
  );
}
