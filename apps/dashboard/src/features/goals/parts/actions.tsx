import { Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Goal } from "../../../platform/api-types.ts";
import { useChange } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import type { GoalStatus } from "../rules.ts";
import { words } from "../words.ts";
import { GOAL_STALE } from "./stale.ts";

/** What can be done with a goal. Archiving says first what it means; it can be taken back. */
export function Actions({ scope, goal: { id, name, status } }: { scope: string; goal: Goal }) {
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const changing = useChange(scope, "updateGoal", GOAL_STALE);
  const become = (next: GoalStatus): void =>
    changing.mutate(
      { path: { id }, body: { status: next } },
      {
        onSuccess: () => {
          setAsking(false);
          notifications.show({ message: next === "archived" ? words.archived : words.reactivated });
        },
      },
    );
  const begin = (): void => {
    changing.reset();
    if (status === "active") setAsking(true);
    else become("active");
  };
  return (
    <>
      <Group gap="xs">
        <RoleButton
          scope={scope}
          needs={"editor" as const}
          onClick={() => void navigate({ to: `/p/${scope}/goals/${id}/edit` })}
        >
          {words.edit}
        </RoleButton>
        <RoleButton
          scope={scope}
          needs={"editor" as const}
          variant="default"
          loading={changing.isPending && !isAsking}
          onClick={begin}
        >
          {status === "active" ? words.archive : words.reactivate}
        </RoleButton>
      </Group>
      {!isAsking && changing.error !== null && <Problem error={changing.error} />}
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        change={changing}
        isMild
        title={words.archiveTitle(name)}
        about={words.archiveAbout}
        action={words.archive}
        act={() => become("archived")}
      />
    </>
  );
}
