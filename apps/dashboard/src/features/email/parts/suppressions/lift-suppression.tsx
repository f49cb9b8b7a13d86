import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../../../platform/operations.ts";
import { useRequestKey } from "../../../../platform/use-request-key.ts";
import { ConfirmDialog } from "../../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import type { StopReason } from "../../rules.ts";
import { words } from "../../words.ts";

type Props = { scope: string; address: string; reason: StopReason };

/** Lets mail to an address leave again, after the person has read what that means. */
export function LiftSuppression({ scope, address, reason }: Props) {
  const [isAsking, setAsking] = useState(false);
  const { headers, renew } = useRequestKey();
  const close = (): void => setAsking(false);
  const lifting = useChange(scope, "allowEmailAddress", [
    "listSuppressedAddresses",
    "listSuppressionDecisions",
    "listUnknownSends",
    "listAuditEntries",
  ]);
  const begin = (): void => {
    lifting.reset();
    renew();
    setAsking(true);
  };
  const lift = (): void =>
    lifting.mutate(
      { body: { address }, headers },
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
      <ConfirmDialog
        opened={isAsking}
        close={close}
        act={lift}
        change={lifting}
        title={words.liftTitle(address)}
        about={words.liftAbout[reason]}
        action={words.liftNow}
      />
    </>
  );
}
