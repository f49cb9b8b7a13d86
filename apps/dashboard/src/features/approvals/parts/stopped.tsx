import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { guardrailAmount, guardrailName } from "../../../ui/guardrails/names.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import type { Breach } from "../rules.ts";
import { words } from "../words.ts";
import { ReasonForm } from "./reason-form.tsx";

const MAX_REASON = 80;

type OfScope = { scope: string };

/** Lets a campaign that was paused for a limit be launched again, with a reason. */
function Clear({ scope, breach: { campaignId, campaignName } }: OfScope & { breach: Breach }) {
  const [isAsking, setAsking] = useState(false);
  const clearing = useChange(scope, "clearGuardrails", [
    ...(["listBreaches", "getGoalLimits", "getWaiting", "getCampaign", "reviewCampaign"] as const),
    "listAuditEntries",
  ]);
  const close = (): void => setAsking(false);
  const clear = (reason: string | null): void =>
    clearing.mutate(
      { path: { id: campaignId }, body: { reason: reason ?? "" } },
      {
        onSuccess: () => {
          close();
          notifications.show({ message: words.cleared });
        },
      },
    );
  return (
    <>
      <RoleButton
        scope={scope}
        needs={"approver" as const}
        variant="default"
        size="xs"
        aria-label={words.clearOf(campaignName)}
        onClick={() => {
          clearing.reset();
          setAsking(true);
        }}
      >
        {words.clear}
      </RoleButton>
      <Dialog opened={isAsking} close={close} title={words.clearTitle(campaignName)}>
        <ReasonForm
          about={words.clearAbout}
          maxLength={MAX_REASON}
          isNeeded
          label={words.clear}
          isPending={clearing.isPending}
          error={clearing.error}
          decide={clear}
          cancel={close}
        />
      </Dialog>
    </>
  );
}

/** Campaigns that were paused for a limit of their goal. Without any there is nothing to show. */
export function Stopped({ scope }: OfScope) {
  const { data, error } = useOperation(scope, "listBreaches");
  if (error !== null) return <Problem error={error} />;
  const breaches = data?.breaches ?? [];
  if (breaches.length === 0) return null;
  return (
    <Section title={words.stopped}>
      <Text c="dimmed" maw="44rem">
        {words.stoppedAbout}
      </Text>
      <Rows
        heads={[words.campaign, words.limit, words.what, words.since, words.action]}
        rows={breaches.map((breach) => ({
          id: breach.runId,
          cells: [
            <To key="name" scope={scope} path={`campaigns/${breach.campaignId}`}>
              {breach.campaignName}
            </To>,
            guardrailName(breach.guardrail),
            words.broke(
              guardrailAmount(breach.guardrail, breach.observed),
              guardrailAmount(breach.guardrail, breach.limit),
            ),
            timeOf(breach.breachedAt),
            <Clear key="clear" scope={scope} breach={breach} />,
          ],
        }))}
      />
    </Section>
  );
}
