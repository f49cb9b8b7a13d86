import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import type { ImportFile } from "../rules.ts";
import { words } from "../words.ts";

/** Deletes a file with what is known of it, after the person has read what stays. */
export function DeleteFile({ scope, file }: { scope: string; file: ImportFile }) {
  const [isAsking, setAsking] = useState(false);
  const { headers, renew } = useRequestKey();
  const navigate = useNavigate();
  const deleting = useChange(scope, "deleteImport", ["listImports"]);
  const close = (): void => setAsking(false);
  const begin = (): void => {
    deleting.reset();
    renew();
    setAsking(true);
  };
  const act = (): void =>
    deleting.mutate(
      { path: { id: file.id }, headers },
      {
        onSuccess() {
          close();
          notifications.show({ message: words.deleted });
          void navigate({ to: `/p/${scope}/import` });
        },
      },
    );
  const isOnlyTried = file.startedAt === null || file.isDryRun;
  return (
    <>
      <RoleButton
        scope={scope}
        needs="editor"
        variant="default"
        refusal={file.state === "running" ? words.stopFirst : null}
        onClick={begin}
      >
        {words.delete}
      </RoleButton>
      <ConfirmDialog
        opened={isAsking}
        close={close}
        act={act}
        change={deleting}
        title={words.deleteTitle(file.name)}
        about={isOnlyTried ? words.deleteAbout.before : words.deleteAbout.after}
        action={words.delete}
      />
    </>
  );
}
