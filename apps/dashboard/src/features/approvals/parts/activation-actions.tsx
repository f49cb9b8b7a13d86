import { Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { search } from "../../../platform/address.ts";
import { useChange } from "../../../platform/operations.ts";
import bar from "../../../ui/action-bar.module.css";
import type { Activation } from "../../../ui/activation/rules.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { words } from "../words.ts";
import { ReasonForm } from "./reason-form.tsx";

const MAX_REASON = 400;
const MAX_OVERRIDE_REASON = 80;

type Choice = "approved" | "rejected" | "anyway";
type Props = { scope: string; name: string; activation: Activation; revision: string };

const STALE = [
  ...(["getCampaign", "getCampaignActivation", "getActivationApproval", "listApprovals"] as const),
  ...(["listCampaigns", "listAuditEntries"] as const),
] as const;

/** What an approver can do with a draft that waits for changes of code. */
export function ActivationActions({ scope, name, activation, revision }: Props) {
  const path = { id: activation.campaignId };
  const [chosen, setChosen] = useState<Choice | null>(null);
  const deciding = useChange(scope, "decideActivation", STALE);
  const launching = useChange(scope, "overrideLaunch", STALE);
  const close = (): void => setChosen(null);
  const begin = (what: Choice) => (): void => {
    deciding.reset();
    launching.reset();
    setChosen(what);
  };
  const done = (message: string) => ({
    onSuccess: () => {
      close();
      notifications.show({ message });
    },
  });
  const allowed = activation.effectiveMode === "manual" ? words.allowedByHand : words.allowed;
  const decide = (decision: "approved" | "rejected") => (reason: string | null) =>
    deciding.mutate(
      { path, body: { decision, revision, ...(reason !== null && { reason }) } },
      done(decision === "approved" ? allowed : words.takenBack),
    );
  const navigate = useNavigate();
  const launch = (reason: string | null): void => {
    const { onSuccess } = done(words.launchedNow);
    const toResults = () =>
      navigate({
        to: `/p/${scope}/campaigns/${activation.campaignId}`,
        search: search({ view: "results" }),
      });
    launching.mutate(
      { path, body: { reason: reason ?? "" } },
      {
        onSuccess() {
          onSuccess();
          void toResults();
        },
      },
    );
  };
  const button = { scope, needs: "approver" as const };
  const form = {
    maxLength: MAX_REASON,
    isPending: deciding.isPending,
    error: deciding.error,
    cancel: close,
  };
  return (
    <Group gap="xs" className={bar.bar ?? ""}>
      <RoleButton {...button} onClick={begin("approved")}>
        {activation.approvedAsIs === false ? words.allowAgain : words.allow}
      </RoleButton>
      {activation.approvedAsIs !== null && (
        <RoleButton {...button} variant="default" onClick={begin("rejected")}>
          {words.revoke}
        </RoleButton>
      )}
      <RoleButton {...button} variant="default" onClick={begin("anyway")}>
        {words.anyway}
      </RoleButton>
      <Dialog opened={chosen === "approved"} close={close} title={words.allowTitle(name)}>
        <ReasonForm
          {...form}
          about={activation.effectiveMode === "manual" ? words.allowByHandAbout : words.allowAbout}
          label={words.allow}
          decide={decide("approved")}
        />
      </Dialog>
      <Dialog opened={chosen === "rejected"} close={close} title={words.revokeTitle}>
        <ReasonForm {...form} about={words.revokeAbout} label={words.revoke} decide={decide("rejected")} />
      </Dialog>
      <Dialog opened={chosen === "anyway"} close={close} title={words.anywayTitle(name)}>
        <ReasonForm
          about={words.anywayAbout}
          maxLength={MAX_OVERRIDE_REASON}
          isNeeded
          isRed
          label={words.anyway}
          isPending={launching.isPending}
          error={launching.error}
          decide={launch}
          cancel={close}
        />
      </Dialog>
    </Group>
  );
}
