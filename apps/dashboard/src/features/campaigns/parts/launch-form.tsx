import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../platform/times.ts";
import { Findings } from "../../../ui/findings/findings.tsx";
import { Guardrails } from "../../../ui/guardrails/guardrails.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { variantShare } from "../../../ui/preview/share.pure.ts";
import { ReachRemarks } from "../../../ui/reach/reach.tsx";
import { type CampaignReview, type Census, laterSentence, launchSentence } from "../rules.ts";
import { words } from "../words.ts";
import { DifferenceCheck } from "./difference-check.tsx";

/** How many of those who get it have to wait, and for what. */
function Later({ census }: { census: Census }) {
  const sentence = laterSentence(census);
  return sentence === null ? null : <Text>{sentence}</Text>;
}

/** Every user of the audience is in one of these rows; those without users are left out. */
function CensusRows({ census, visitors }: { census: Census; visitors: CampaignDetail["visitors"] }) {
  const { matched, heldOut, alreadyDelivered, unreachable, capped, willReceive, overCap } = census;
  const parts: [string, number][] = [
    [words.heldOut, heldOut],
    [words.alreadyDelivered, alreadyDelivered],
    ...unreachable.map(({ reason, users }): [string, number] => [words.unreachable[reason], users]),
    [words.overCap[overCap ?? "skip"], capped],
  ];
  const lines: [string, number][] = [
    [words.matched, matched],
    ...parts.filter(([, users]) => users > 0),
    [words.willReceive, willReceive],
    ...(visitors === "also" ? [[words.visitorsBeside, census.visitors] as [string, number]] : []),
  ];
  return (
    <Rows
      heads={[words.census, visitors === "only" ? words.visitors : words.users]}
      rows={lines.map(([name, users]) => ({ id: name, cells: [name, numberOf(users)] }))}
    />
  );
}

type ReadinessProps = {
  scope: string;
  review: CampaignReview;
  channel: CampaignDetail["channel"];
  leave: () => void;
};

/** Why no user would get it, why a launch would be refused now, and the limits of the goal. */
function Readiness({ scope, review: { guardrails, refusal, reach }, channel, leave }: ReadinessProps) {
  return (
    <Stack gap="xs">
      {refusal !== null && (
        <Alert color={refusal.reason === "launch_role" ? "yellow" : "red"} title={words.refused}>
          {refusal.reason === "launch_role" ? words.refusedByRole : refusal.message}
        </Alert>
      )}
      <ReachRemarks scope={scope} remarks={reach} leave={leave} />
      <Guardrails readings={guardrails} channel={channel} />
    </Stack>
  );
}

/** What those who get it read, variant by variant, with the control where there is something to compare with it. */
function Texts({ campaign: { variants } }: { campaign: CampaignDetail }) {
  const given = variants.filter(({ weight }) => weight > 0);
  return (
    <Stack gap={0}>
      <Text fw={600}>{words.goesOut}</Text>
      {given.map((variant) => (
        <Text key={variant.id} size="sm" className={long.long}>
          {words.goesTo(
            percentOf(variantShare(variant, variants)),
            variant.isControl && given.length > 1 ? words.asControl(variant.name) : variant.name,
            variant.title,
          )}
        </Text>
      ))}
    </Stack>
  );
}

type Props = {
  scope: string;
  campaign: CampaignDetail;
  problem: ReactNode;
  isLaunching: boolean;
  launch: () => void;
  cancel: () => void;
};

/** Says exactly whom a launch would reach, under which limits, and what would refuse it; then launches. */
export function LaunchForm({ scope, campaign, problem, isLaunching, launch, cancel }: Props) {
  const census = useOperation(scope, "takeCampaignCensus", { path: { id: campaign.id } });
  const review = useOperation(scope, "reviewCampaign", { path: { id: campaign.id }, body: { launch: true } });
  const isReady = census.data !== undefined && review.data !== undefined && review.data.refusal === null;
  // A person who reads that no page carries Tidings need not read of users who would come.
  const isUnseen = campaign.channel === "web_inapp" && review.data?.reach.length !== 0;
  return (
    <Stack>
      <Loaded query={review}>
        {(found) => <Readiness scope={scope} review={found} channel={campaign.channel} leave={cancel} />}
      </Loaded>
      <Loaded query={census}>
        {(counted) => (
          <Stack gap="xs">
            {(counted.willReceive > 0 || !isUnseen) && (
              <Text fw={600}>{launchSentence(campaign, counted.willReceive, counted.at)}</Text>
            )}
            <Later census={counted} />
            <CensusRows census={counted} visitors={campaign.visitors} />
            <Findings scope={scope} census={counted} variants={campaign.variants} edit={cancel} />
            <Text size="sm" c="dimmed">
              {words.asOf(timeOf(counted.at), zoneName())}
            </Text>
          </Stack>
        )}
      </Loaded>
      <Texts campaign={campaign} />
      {campaign.startedAt === undefined && census.data !== undefined && (
        <DifferenceCheck scope={scope} campaign={campaign} users={census.data.willReceive} />
      )}
      {problem}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={cancel}>
          {words.cancel}
        </Button>
        <Button loading={isLaunching} disabled={!isReady} onClick={launch}>
          {campaign.status === "paused" ? words.resume : words.actions.launch}
        </Button>
      </Group>
    </Stack>
  );
}
