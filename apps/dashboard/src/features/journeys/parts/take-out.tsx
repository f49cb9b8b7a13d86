import { Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { words } from "../words.ts";
import { JOURNEY_STALE } from "./stale.ts";

type Props = { scope: string; journeyId: string; userId: string; close: () => void };

/** Takes a user out of a journey, with the reason for people who read it later. */
export function TakeOut({ scope, journeyId, userId, close }: Props) {
  const [reason, setReason] = useState("");
  const removing = useChange(scope, "removeJourneyEntry", JOURNEY_STALE);
  const remove = (): void =>
    removing.mutate(
      { path: { id: journeyId }, body: { userId, ...(reason.trim() !== "" && { reason }) } },
      {
        onSuccess: ({ removed }) => {
          close();
          notifications.show({ message: removed ? words.takenOut : words.wasOut });
        },
      },
    );
  return (
    <Dialog opened close={close} title={words.takeOutTitle(userId)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove();
        }}
      >
        <Stack>
          <Text>{words.takeOutAbout}</Text>
          <TextInput
            label={words.reason}
            maxLength={500}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          <DialogEnd change={removing} action={words.takeOut} close={close} isRed />
        </Stack>
      </form>
    </Dialog>
  );
}
