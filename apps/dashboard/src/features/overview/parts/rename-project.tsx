import { Button, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { words } from "../words.ts";

type Props = { id: string; name: string };

/** Calls a project something else. */
export function RenameProject({ id, name }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const { headers, renew } = useRequestKey();
  const renaming = useChange(id, "renameProject", ["getMe", "listAuditEntries"]);
  const change = (next: string): void => {
    setTyped(next);
    renew();
  };
  const open = (): void => {
    renaming.reset();
    change(name);
  };
  const close = (): void => setTyped(null);
  const rename = (event: FormEvent): void => {
    event.preventDefault();
    const called = (typed ?? "").trim();
    renaming.mutate(
      { body: { name: called }, headers },
      {
        onSuccess() {
          notifications.show({ message: words.renamed(called) });
          close();
        },
      },
    );
  };
  return (
    <>
      <Button size="xs" variant="default" aria-label={words.renameOf(name)} onClick={open}>
        {words.rename}
      </Button>
      <Dialog opened={typed !== null} close={close} title={words.renameOf(name)}>
        <form onSubmit={rename}>
          <Stack>
            <TextInput
              label={words.name}
              required
              maxLength={80}
              data-autofocus
              value={typed ?? ""}
              onChange={({ currentTarget }) => change(currentTarget.value)}
            />
            <DialogEnd change={renaming} action={words.renameNow} close={close} />
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
