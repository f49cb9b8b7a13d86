import { Alert, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Answer } from "@tidings/client";
import { useChange } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { pausedBy } from "../../../ui/campaigns/paused-by.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import type { WaitingCampaign } from "../rules.ts";
import { words } from "../words.ts";

/** The person who paused all of them, and when; null where no person did, or that is not known. */
type PausedBy = Answer<"listApprovals">["launchesPausedBy"];
type Props = { scope: string; campaigns: readonly WaitingCampaign[]; isPaused: boolean; author: PausedBy };

/** Campaigns that may launch by themselves, and the switch that keeps all of them from it. */
export function Launches({ scope, campaigns, isPaused, author }: Props) {
  const pausing = useChange(scope, "setLaunchesPaused", [
    ...(["listApprovals", "getCampaignActivation", "listAuditEntries"] as const),
  ]);
  const toggle = (): void =>
    pausing.mutate(
      { body: { paused: !isPaused } },
      { onSuccess: ({ paused }) => notifications.show({ message: paused ? words.paused : words.resumed }) },
    );
  return (
    <Section title={words.themselves}>
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw="44rem">
          {campaigns.length === 0 ? words.noneThemselves : words.themselvesAbout}
        </Text>
        <RoleButton
          scope={scope}
          needs={"approver" as const}
          variant="default"
          loading={pausing.isPending}
          onClick={toggle}
        >
          {isPaused ? words.resume : words.pause}
        </RoleButton>
      </Group>
      {pausing.error !== null && <Problem error={pausing.error} />}
      {isPaused && (
        <Alert color="yellow" title={words.pausedTitle}>
          {words.pausedAbout}
          {author !== null && ` ${pausedBy(author.by, timeOf(author.at))}.`}
        </Alert>
      )}
      {campaigns.length > 0 && (
        <Rows
          heads={[words.campaign, words.allowedBy, words.since]}
          rows={campaigns.map(({ campaignId, name, approvedBy, createdAt }) => ({
            id: campaignId,
            cells: [
              <To key="name" scope={scope} path={`approvals/campaigns/${campaignId}`}>
                {name}
              </To>,
              approvedBy,
              timeOf(createdAt),
            ],
          }))}
        />
      )}
    </Section>
  );
}
