import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { newRequestKey } from "../../../platform/request-key.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { RoleButton } from "../../../ui/role-button.tsx";
import type { Suppressed } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; address: string; reason: Suppressed["reason"] };

/** Lets mail to an address leave again, after the person has read what that means. */
export function Lift({ scope, address, reason }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [key, setKey] = useState(newRequestKey);
  const close = (): void => setAsking(false);
  const lifting = useChange(scope, "allowEmailAddress", [
    "listSuppressedAddresses",
    "listSuppressionDecisions",
    "listUnknownSends",
    "listAuditEntries",
  ]);
  const begin = (): void => {
    lifting.reset();
    setKey(newRequestKey());
    setAsking(true);
  };
  const lift = (): void =>
    lifting.mutate(
      { body: { address }, headers: { "Idempotency-Key": key } },
      {
        onSuccess: ({ changed }) => {
          close();
          notifications.show({ message: (changed ? words.lifted : words.liftedBefore)(address) });
        },
      },
    );
  return (
    <>
      <RoleButton scope={scope} needs="editor" size="xs" variant="default" onClick={begin}>
        {words.lift}
      </RoleButton>
      <Dialog opened={isAsking} close={close} title={words.liftTitle(address)}>
        <Stack>
          <Text>{words.liftAbout[reason]}</Text>
          {lifting.error !== null && <Problem error={lifting.error} />}
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={close}>
              {words.cancel}
            </Button>
            <Button color="red" loading={lifting.isPending} onClick={lift}>
              {words.liftNow}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
