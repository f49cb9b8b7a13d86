import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { Copied } from "../../../ui/copied.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Problem } from "../../../ui/problem.tsx";
import type { Member } from "../members.ts";
import { words } from "../words.ts";

/** What an owner of all projects can do about a person: let them back in, or remove them. */
export function MemberActions({ member: { id, name } }: { member: Member }) {
  const [isRemoving, setRemoving] = useState(false);
  const linking = useChange(ORGANIZATION, "makePasswordLink", ["listAuditEntries"]);
  const removing = useChange(ORGANIZATION, "removePerson", ["listPeople"]);
  const error = linking.error ?? removing.error;
  return (
    <>
      {error !== null && <Problem error={error} />}
      <Group gap="xs" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          loading={linking.isPending}
          onClick={() => linking.mutate({ path: { personId: id } })}
        >
          {words.passwordLink}
        </Button>
        <Button size="xs" variant="default" onClick={() => setRemoving(true)}>
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
      <Dialog opened={isRemoving} close={() => setRemoving(false)} title={words.removeTitle(name)}>
        <Stack>
          <Text>{words.removeAbout}</Text>
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={() => setRemoving(false)}>
              {words.keep}
            </Button>
            <Button
              color="red"
              onClick={() => {
                setRemoving(false);
                removing.mutate({ path: { personId: id } });
              }}
            >
              {words.remove}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
