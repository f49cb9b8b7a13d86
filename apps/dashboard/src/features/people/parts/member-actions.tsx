import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { Copied } from "../../../ui/copied.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Question } from "../../../ui/question.tsx";
import type { Member } from "../members.ts";
import { words } from "../words.ts";

/** What an owner of all projects can do about a person: let them back in, or remove them. */
export function MemberActions({ member: { id, name } }: { member: Member }) {
  const [isRemoving, setRemoving] = useState(false);
  const linking = useChange(ORGANIZATION, "makePasswordLink", ["listAuditEntries"]);
  const removing = useChange(ORGANIZATION, "removePerson", ["listPeople"]);
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
      <Question
        {...{ opened: isRemoving, close: () => setRemoving(false), act: remove, change: removing }}
        {...{ title: words.removeTitle(name), about: words.removeAbout, action: words.remove }}
      />
    </>
  );
}
