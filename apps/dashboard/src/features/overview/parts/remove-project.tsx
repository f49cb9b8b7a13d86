import { Button, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { words } from "../words.ts";

type Props = { id: string; name: string };

/** Deletes a project, after the person has typed its name. */
export function RemoveProject({ id, name }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const removing = useChange(ORGANIZATION, "removeProject", ["getMe", "listAuditEntries"]);
  const open = (): void => {
    removing.reset();
    setTyped("");
  };
  const close = (): void => setTyped(null);
  const remove = (event: FormEvent): void => {
    event.preventDefault();
    // The card is gone by the time of the answer, and with it what `mutate` would call.
    removing.mutateAsync({ path: { projectId: id } }).then(
      () => notifications.show({ message: words.removed(name) }),
      () => undefined,
    );
  };
  return (
    <>
      <Button size="xs" variant="default" aria-label={words.removeOf(name)} onClick={open}>
        {words.remove}
      </Button>
      <Dialog opened={typed !== null} close={close} title={words.removeTitle(name)}>
        <form onSubmit={remove}>
          <Stack>
            <Text>{words.removeAbout}</Text>
            <TextInput
              label={words.typeName(name)}
              value={typed ?? ""}
              autoComplete="off"
              data-autofocus
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
            <DialogEnd
              change={removing}
              action={words.removeNow}
              close={close}
              isRed
              disabled={typed !== name}
            />
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
