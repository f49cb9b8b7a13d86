import { Alert, Button, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import type { PersonRole } from "../../../platform/pages.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { SaveButton } from "../../../ui/form/save-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { words } from "../words.ts";
import { RoleSelect } from "./role-select.tsx";

/** Asks for an address and a role, then shows the link to send. */
export function InviteForm({ scope, close }: { scope: string; close: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<PersonRole>("editor");
  const inviting = useChange(scope, "invitePerson", ["listPeople"]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    inviting.mutate({ body: { email, role } });
  };
  return (
    <Dialog opened close={close} title={words.inviteTitle}>
      {inviting.data === undefined ? (
        <form onSubmit={submit}>
          <Stack>
            {inviting.error !== null && <Problem error={inviting.error} />}
            <TextInput
              label={words.email}
              type="email"
              required
              data-autofocus
              value={email}
              onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            />
            <RoleSelect label={words.role} value={role} change={(chosen) => setRole(chosen ?? role)} />
            <SaveButton type="submit" loading={inviting.isPending}>
              {words.makeLink}
            </SaveButton>
          </Stack>
        </form>
      ) : inviting.data.invited === null ? (
        <Alert>{words.isHere(email)}</Alert>
      ) : (
        <Stack>
          <Text>{words.linkReady(email)}</Text>
          <Copied text={inviting.data.invited.link} label={words.link} />
          <Button onClick={close}>{words.close}</Button>
        </Stack>
      )}
    </Dialog>
  );
}
