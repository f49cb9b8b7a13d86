import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import type { Sync } from "../rules.ts";
import { words } from "../words.ts";

/** Deletes a sync, after a question. Its files stay. */
export function DeleteSync({ scope, sync }: { scope: string; sync: Sync }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const deleting = useChange(scope, "deleteSync", ["listSyncs", "getWaiting"]);
  const act = (): void =>
    deleting.mutate(
      { path: { id: sync.id } },
      {
        onSuccess() {
          notifications.show({ message: words.deleted });
          void navigate({ to: `/p/${scope}/syncs` });
        },
      },
    );
  return (
    <>
      <RoleButton
        scope={scope}
        needs={"owner" as const}
        variant="default"
        onClick={() => {
          deleting.reset();
          setAsking(true);
        }}
      >
        {words.delete}
      </RoleButton>
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        act={act}
        change={deleting}
        title={words.deleteTitle}
        about={words.deleteAbout}
        action={words.delete}
      />
    </>
  );
}
