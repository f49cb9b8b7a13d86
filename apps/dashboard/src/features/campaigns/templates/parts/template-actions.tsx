import { Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import type { CampaignDetail } from "../../../../platform/api-types.ts";
import { useChange } from "../../../../platform/operations.ts";
import { ConfirmDialog } from "../../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../../ui/problem.tsx";
import { type Action, actionsOf } from "../../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; template: CampaignDetail };

const STALE = ["getCampaign", "listCampaigns", "getOverview", "listAuditEntries"] as const;

/** What can be done with a template in its state. Making it live and ending it ask first. */
export function TemplateActions({ scope, template }: Props) {
  const [chosen, setChosen] = useState<Action | null>(null);
  const changing = useChange(scope, "setCampaignStatus", STALE);
  const close = (): void => setChosen(null);
  const change = (action: Action): void =>
    changing.mutate(
      { path: { id: template.id }, body: { action } },
      {
        onSuccess() {
          close();
          if (action === "launch") notifications.show({ message: words.live });
        },
      },
    );
  const begin = (action: Action): void => {
    changing.reset();
    if (action === "pause") change(action);
    else setChosen(action);
  };
  return (
    <>
      <Group gap="xs">
        {actionsOf(template).map((action) => (
          <RoleButton
            key={action}
            scope={scope}
            needs="editor"
            variant={action === "launch" ? "filled" : "default"}
            loading={changing.isPending && changing.variables.body.action === action}
            onClick={() => begin(action)}
          >
            {words.actions[action]}
          </RoleButton>
        ))}
      </Group>
      {chosen === null && changing.error !== null && <Problem error={changing.error} />}
      <ConfirmDialog
        opened={chosen === "launch"}
        close={close}
        change={changing}
        title={words.liveTitle(template.name)}
        about={words.liveAbout}
        action={words.actions.launch}
        isMild
        act={() => change("launch")}
      />
      <ConfirmDialog
        opened={chosen === "end"}
        close={close}
        change={changing}
        title={words.endTitle(template.name)}
        about={words.endAbout}
        action={words.actions.end}
        act={() => change("end")}
      />
    </>
  );
}
