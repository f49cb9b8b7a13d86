import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import type { Member } from "../members.ts";
import { words } from "../words.ts";

/** What an owner of all projects can do about a person: let them back in, or remove them. */
export function MemberActions({ member: { id, name, passkeys } }: { member: Member }) {
  const [isRemoving, setRemoving] = useState(false);
  const linking = useChange(ORGANIZATION, "makePasswordLink", ["listAuditEntries"]);
  const removing = useChange(ORGANIZATION, "removePerson", ["listPeople"]);
  const [isRemovingKeys, setRemovingKeys] = useState(false);
  const removingKeys = useChange(ORGANIZATION, "removePasskeys", ["listPeople", "listAuditEntries"]);
  const removeKeys = (): void =>
    removingKeys.mutate({ path: { personId: id } }, { onSuccess: () => setRemovingKeys(false) });
  const askKeys = (): void => {
    removingKeys.reset();
    setRemovingKeys(true);
  };
  const ask = (): void => {
    removing.reset();
    setRemoving(true);
  };
  const remove = (): void =>
    removing.mutate({ path: { personId: id } }, { onSuccess: () => setRemoving(false) });
  return (
    <>
      {linking.error !== null && <Problem error={linking.error} />}
      <Group gap="xs" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          loading={linking.isPending}
          onClick={() => linking.mutate({ path: { personId: id } })}
        >
          {words.passwordLink}
        </Button>
        {passkeys > 0 && (
          <Button size="xs" variant="default" onClick={askKeys}>
            {words.removePasskeys}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={ask}>
          {words.remove}
        </Button>
      </Group>
      <Dialog opened={linking.data !== undefined} close={linking.reset} title={words.passwordLink}>
        <Stack>
          <Text>{words.passwordReady(name)}</Text>
          {linking.data && <Copied text={linking.data.link} label={words.link} />}
          <Button onClick={linking.reset}>{words.close}</Button>
        </Stack>
      </Dialog>
      <ConfirmDialog
        opened={isRemovingKeys}
        close={() => setRemovingKeys(false)}
        act={removeKeys}
        change={removingKeys}
        action={words.removePasskeys}
        title={words.removePasskeysTitle(name)}
        about={words.removePasskeysAbout}
      />
      <ConfirmDialog
        opened={isRemoving}
        close={() => setRemoving(false)}
        act={remove}
        change={removing}
        title={words.removeTitle(name)}
        about={words.removeAbout}
        action={words.remove}
      />
    </>
  );
}
