import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import type { Key } from "../rules.ts";
import { words } from "../words.ts";

/** How many of the last characters of a key are shown. */
const ENDING = 4;

/** Lets a key stop working at once, after a question. */
export function Revoke({
  scope,
  apiKey: { id, ending, publishableKey, createdAt },
}: {
  scope: string;
  apiKey: Key;
}) {
  const [isAsking, setAsking] = useState(false);
  const revoking = useChange(scope, "revokeKey", ["listKeys", "getMe", "listAuditEntries"]);
  const known = ending ?? publishableKey?.slice(-ENDING) ?? null;
  const name = known === null ? words.wasMade(timeOf(createdAt)) : words.endsIn(known);
  const revoke = (): void =>
    // The row is gone by the time of the answer, and with it what `mutate` would call.
    void revoking.mutateAsync({ path: { keyId: id } }).then(
      () => notifications.show({ message: words.revoked }),
      () => undefined,
    );
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={words.revokeOf(name)}
        onClick={() => {
          revoking.reset();
          setAsking(true);
        }}
      >
        {words.revoke}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        act={revoke}
        change={revoking}
        title={words.revokeTitle}
        about={words.revokeAbout(name)}
        action={words.revokeNow}
      />
    </>
  );
}
