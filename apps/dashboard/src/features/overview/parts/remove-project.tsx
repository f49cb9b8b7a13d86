import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { SaveButton } from "../../../ui/save-button.tsx";
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
            {removing.error !== null && <Problem error={removing.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {words.cancel}
              </Button>
              <SaveButton type="submit" color="red" loading={removing.isPending} disabled={typed !== name}>
                {words.removeNow}
              </SaveButton>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
