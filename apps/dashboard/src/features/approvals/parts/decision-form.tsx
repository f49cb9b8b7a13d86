import { Checkbox, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import bar from "../../../ui/action-bar.module.css";
import { applying } from "../../../ui/at-work/rules.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import long from "../../../ui/look/long.module.css";
import { type Approval, proposalParts, shareInWords, variantName } from "../rules.ts";
import { words } from "../words.ts";
import { ReasonForm } from "./reason-form.tsx";

const MAX_REASON = 400;
type Verdict = "approved" | "rejected";

const STALE = ["getApproval", "listApprovals", "listProposals", "listEvaluations", "listAgentRuns"] as const;

/** Approves or rejects exactly the change that the page shows. */
export function DecisionForm({ scope, approval }: { scope: string; approval: Approval }) {
  const { proposal, review, messages, campaign } = approval;
  const [chosen, setChosen] = useState<Verdict | null>(null);
  const [isForGood, setForGood] = useState(false);
  const deciding = useChange(scope, "decideProposal", [...STALE, "listAuditEntries"]);
  const begin = (verdict: Verdict): void => {
    deciding.reset();
    setForGood(false);
    setChosen(verdict);
  };
  const close = (): void => setChosen(null);
  const decide = (decision: Verdict) => (reason: string | null) =>
    deciding.mutate(
      {
        path: { id: proposal.id },
        body: {
          decision,
          payloadHash: proposal.payloadHash,
          forGood: decision === "rejected" && isForGood,
          ...(reason !== null && { reason }),
        },
      },
      {
        onSuccess: ({ atWork }) => {
          close();
          if (decision === "rejected") {
            notifications.show({ message: words.rejected });
            return;
          }
          const { isDone, text } = applying(atWork);
          // Where nothing applies the change, a person has to read so before the message goes away.
          notifications.show({
            message: `${words.approved} ${text}`,
            ...(!isDone && { color: "red", autoClose: false }),
          });
        },
      },
    );
  const approveAbout = review.journey === null ? words.approveAbout : words.approveStepsAbout;
  const form = {
    maxLength: MAX_REASON,
    isPending: deciding.isPending,
    error: deciding.error,
    cancel: close,
  };
  return (
    <Group gap="xs" className={bar.bar ?? ""}>
      {!review.isStale && (
        <RoleButton scope={scope} needs="approver" onClick={() => begin("approved")}>
          {words.approve}
        </RoleButton>
      )}
      <RoleButton scope={scope} needs="approver" variant="default" onClick={() => begin("rejected")}>
        {words.reject}
      </RoleButton>
      <Dialog opened={chosen === "approved"} close={close} title={words.approveTitle}>
        <ReasonForm {...form} about={approveAbout} label={words.approve} decide={decide("approved")}>
          <Text fw={600}>{words.parts(proposalParts(proposal))}</Text>
          {messages
            .filter(({ share }) => share.before !== share.after)
            .map(({ variantId, share }) => (
              <Text key={variantId} size="sm" className={long.long}>
                {words.shareOf(variantName(campaign.variants, variantId), shareInWords(share))}
              </Text>
            ))}
          <Text size="xs" c="dimmed" className={long.long}>
            {proposal.payloadHash}
          </Text>
        </ReasonForm>
      </Dialog>
      <Dialog opened={chosen === "rejected"} close={close} title={words.rejectTitle}>
        <ReasonForm
          {...form}
          isRed
          about={words.rejectAbout}
          label={words.reject}
          decide={decide("rejected")}
        >
          <Checkbox
            label={words.forGood}
            checked={isForGood}
            onChange={({ currentTarget }) => setForGood(currentTarget.checked)}
          />
        </ReasonForm>
      </Dialog>
    </Group>
  );
}
