import { useState } from "react";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { type Action, actionsOf } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; campaign: CampaignDetail; step: NonNullable<CampaignDetail["journeyStep"]> };

const STALE = ["getCampaign", "getJourney", "getOverview", "listAuditEntries"] as const;

/** What can be done with the message of a step by itself: a pause, which keeps users at the step, and its end. */
export function StepActions({ scope, campaign, step }: Props) {
  const [isAsking, setAsking] = useState(false);
  const changing = useChange(scope, "setCampaignStatus", STALE);
  const found = useOperation(scope, "getJourney", { path: { id: step.journeyId } });
  const goesOn = found.data === undefined || found.data.journey.status === "running";
  const change = (action: Action): void =>
    changing.mutate({ path: { id: campaign.id }, body: { action } }, { onSuccess: () => setAsking(false) });
  return (
    <>
      {actionsOf(campaign).map((action) => (
        <RoleButton
          key={action}
          scope={scope}
          needs="editor"
          variant="default"
          loading={changing.isPending && !isAsking}
          refusal={action === "launch" && !goesOn ? words.notWithoutJourney : null}
          onClick={() => {
            changing.reset();
            if (action === "pause") change(action);
            else setAsking(true);
          }}
        >
          {action === "launch" ? words.resume : words.actions[action]}
        </RoleButton>
      ))}
      {!isAsking && changing.error !== null && <Problem error={changing.error} />}
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        change={changing}
        isMild
        title={words.resumeTitle(campaign.name)}
        about={words.resumeAbout}
        action={words.resume}
        act={() => change("launch")}
      />
    </>
  );
}
