import { Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { search } from "../../../platform/address.ts";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { isFinal } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { useSaveKey } from "../../../platform/use-save-key.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { type Action, actionsOf, asLaunched, copyOf, liveSentence, nameOfCopy } from "../rules.ts";
import { words } from "../words.ts";
import { LaunchForm } from "./launch-form.tsx";
import { StepActions } from "./step-actions.tsx";

type Props = { scope: string; campaign: CampaignDetail };

const STALE = ["getCampaign", "listCampaigns", "explainCampaign", "getOverview", "listAuditEntries"] as const;

/** Makes a draft with the same content, and opens it. */
function Duplicate({ scope, campaign }: Props) {
  const navigate = useNavigate();
  const { headers, renew } = useRequestKey();
  const copying = useChange(scope, "createCampaign", STALE);
  const body = copyOf(campaign, nameOfCopy(campaign.name, words.copySuffix));
  if (body === null) return null;
  const copy = async (): Promise<void> => {
    const { campaign: made } = await copying.mutateAsync({ body, headers }).catch((error: unknown) => {
      // Refused, nothing was made: the next press is about the campaign as it is then.
      if (isFinal(error)) renew();
      throw error;
    });
    renew();
    notifications.show({ message: words.copied });
    await navigate({ to: `/p/${scope}/campaigns/${made.id}` });
  };
  return (
    <>
      <RoleButton
        scope={scope}
        needs={"editor" as const}
        variant="default"
        loading={copying.isPending}
        onClick={() => void copy().catch(() => undefined)}
      >
        {words.duplicate}
      </RoleButton>
      {copying.error !== null && <Problem error={copying.error} />}
    </>
  );
}

/** What can be done with a campaign in its state. */
export function CampaignActions({ scope, campaign }: Props) {
  const { journeyStep } = campaign;
  return journeyStep === null ? (
    <OwnActions scope={scope} campaign={campaign} />
  ) : (
    <StepActions scope={scope} campaign={campaign} step={journeyStep} />
  );
}

/** The same of a campaign by itself. Launching shows whom it reaches first, and ending asks. */
function OwnActions({ scope, campaign }: Props) {
  const [chosen, setChosen] = useState<Action | null>(null);
  const changing = useChange(scope, "setCampaignStatus", STALE);
  const navigate = useNavigate();
  const change = (action: Action): void =>
    changing.mutate({ path: { id: campaign.id }, body: { action } }, { onSuccess: () => setChosen(null) });
  /** Launches, and leads to where its numbers will be. The editor has nothing left to do, and goes away. */
  const launch = async (): Promise<void> => {
    await changing.mutateAsync({ path: { id: campaign.id }, body: { action: "launch" } });
    setChosen(null);
    const message = liveSentence(asLaunched(campaign, Date.now()));
    if (message !== null) notifications.show({ message });
    await navigate({
      to: `/p/${scope}/campaigns/${campaign.id}`,
      search: search({ view: "results" }),
      ignoreBlocker: true,
    });
  };
  const begin = (action: Action): void => {
    changing.reset();
    if (action === "pause") change(action);
    else setChosen(action);
  };
  const labelOf = (action: Action): string =>
    action === "launch" && campaign.status === "paused" ? words.resume : words.actions[action];
  const main = useSaveKey<HTMLDivElement>(
    () => main.current?.querySelector<HTMLButtonElement>("[data-main]")?.click(),
    true,
  );
  const problem = changing.error !== null && <Problem error={changing.error} />;
  return (
    <>
      <Group gap="xs" ref={main}>
        {actionsOf(campaign).map((action) => (
          <RoleButton
            key={action}
            scope={scope}
            needs="editor"
            variant={action === "launch" ? "filled" : "default"}
            data-main={action === "launch" || undefined}
            loading={changing.isPending && changing.variables.body.action === action}
            onClick={() => begin(action)}
          >
            {labelOf(action)}
          </RoleButton>
        ))}
        <Duplicate scope={scope} campaign={campaign} />
      </Group>
      {chosen === null && problem}
      <ConfirmDialog
        opened={chosen === "end"}
        close={() => setChosen(null)}
        change={changing}
        title={words.endTitle(campaign.name)}
        about={words.endAbout}
        action={words.actions.end}
        act={() => change("end")}
      />
      <Dialog
        opened={chosen === "launch"}
        close={() => setChosen(null)}
        title={words.launchTitle(campaign.name)}
      >
        <LaunchForm
          scope={scope}
          campaign={campaign}
          problem={problem}
          isLaunching={changing.isPending}
          launch={() => void launch().catch(() => undefined)}
          cancel={() => setChosen(null)}
        />
      </Dialog>
    </>
  );
}
