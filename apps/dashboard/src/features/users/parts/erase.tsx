import { Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import type { User } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; user: User };

/** Erases a user, after the person has typed the id. */
export function Erase({ scope, user: { id, externalUserId } }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const erasing = useChange(scope, "eraseUser", ["listUsers", "getUserSummary", "listAuditEntries"]);
  const begin = (): void => {
    erasing.reset();
    setTyped("");
    setAsking(true);
  };
  const erase = (event: FormEvent): void => {
    event.preventDefault();
    erasing.mutate(
      { path: { id } },
      {
        onSuccess: () => {
          notifications.show({ message: words.erased });
          void navigate({ to: `/p/${scope}/users` });
        },
      },
    );
  };
  return (
    <>
      <RoleButton scope={scope} needs="approver" variant="default" onClick={begin}>
        {words.erase}
      </RoleButton>
      <Dialog opened={isAsking} close={() => setAsking(false)} title={words.eraseTitle}>
        <form onSubmit={erase}>
          <Stack>
            <Text>{words.eraseAbout}</Text>
            <TextInput
              label={words.typeId(externalUserId)}
              value={typed}
              autoComplete="off"
              data-autofocus
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
            <DialogEnd
              change={erasing}
              action={words.eraseNow}
              close={() => setAsking(false)}
              isRed
              disabled={typed !== externalUserId}
            />
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
