import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import type { Topic } from "../rules.ts";
import { words } from "../words.ts";

/** Archives a topic after a question, or makes it active again. */
export function ArchiveTopic({ scope, topic: { id, name, status } }: { scope: string; topic: Topic }) {
  const [isAsking, setAsking] = useState(false);
  const changing = useChange(scope, "updateTopic", ["listTopics"]);
  const isActive = status === "active";
  const act = (): void =>
    changing.mutate(
      { path: { id }, body: { status: isActive ? "archived" : "active" } },
      {
        onSuccess() {
          setAsking(false);
          notifications.show({ message: isActive ? words.archivedIt : words.reactivated });
        },
      },
    );
  return (
    <Stack gap="xs">
      <RoleButton
        scope={scope}
        needs={"editor" as const}
        variant="default"
        size="xs"
        loading={!isActive && changing.isPending}
        onClick={() => {
          changing.reset();
          if (isActive) setAsking(true);
          else act();
        }}
      >
        {isActive ? words.archive : words.reactivate}
      </RoleButton>
      {!isActive && changing.error !== null && <Problem error={changing.error} />}
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        act={act}
        change={changing}
        title={words.archiveTitle(name)}
        about={words.archiveAbout}
        action={words.archive}
      />
    </Stack>
  );
}
