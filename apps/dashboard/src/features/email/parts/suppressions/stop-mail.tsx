import { Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../../platform/operations.ts";
import { useRequestKey } from "../../../../platform/use-request-key.ts";
import { Dialog } from "../../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import { DialogEnd } from "../../../../ui/form/dialog-end.tsx";
import { words } from "../../words.ts";

/** Stops mail to an address that a person names. */
export function StopMail({ scope }: { scope: string }) {
  const [isOpen, setOpen] = useState(false);
  const { headers, renew } = useRequestKey();
  const close = (): void => setOpen(false);
  const stopping = useChange(scope, "suppressEmailAddress", [
    "listSuppressedAddresses",
    "listSuppressionDecisions",
    "listUnknownSends",
    "listAuditEntries",
  ]);
  const open = (): void => {
    stopping.reset();
    renew();
    setOpen(true);
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const address = String(new FormData(event.currentTarget).get("address"));
    stopping.mutate(
      { body: { address }, headers },
      {
        onSuccess: (decided) => {
          close();
          const messageOf = decided.changed ? words.stopped : words.stoppedBefore;
          notifications.show({ message: messageOf(decided.address) });
        },
      },
    );
  };
  return (
    <>
      <RoleButton scope={scope} needs="editor" variant="default" onClick={open}>
        {words.stop}
      </RoleButton>
      <Dialog opened={isOpen} close={close} title={words.stop}>
        <form onSubmit={submit} onChange={renew}>
          <Stack>
            <Text>{words.stopAbout}</Text>
            <TextInput
              name="address"
              type="email"
              label={words.address}
              required
              data-autofocus
              autoComplete="off"
              maxLength={320}
            />
            <DialogEnd change={stopping} action={words.stopNow} close={close} />
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
