import { Select, Stack, Text, Title } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import type { CampaignDetail, Conversions } from "../rules.ts";
import { words } from "../words.ts";
import { FindingOf } from "./finding.tsx";
import { Funnel } from "./funnel.tsx";
import { HoldoutOf } from "./holdout.tsx";
import { LiftBands } from "./lift-bands.tsx";
import { SplitOf } from "./split.tsx";
import { VariantsTable } from "./variants-table.tsx";

type Props = { scope: string; campaign: CampaignDetail };

function Measured({ campaign, of }: { campaign: CampaignDetail; of: Conversions }) {
  const { statistics, evaluatedAt } = of;
  const names = new Map(campaign.variants.map(({ id, name }) => [id, name]));
  return (
    <Stack gap="lg">
      <FindingOf statistics={statistics} names={names} />
      <VariantsTable statistics={statistics} names={names} />
      <LiftBands statistics={statistics} names={names} />
      <SplitOf statistics={statistics} names={names} />
      {statistics.holdout !== null && <HoldoutOf holdout={statistics.holdout} />}
      <Text size="sm" c="dimmed">
        {words.age(timeOf(evaluatedAt), timeOf(statistics.maturedUntil))}
      </Text>
    </Stack>
  );
}

/** Chooses what counts as success: the event of the goal, unless the address names another one. */
function Comparison({ scope, campaign }: Props) {
  const [{ event: chosen = "" }, change] = useAddress();
  const { goalId } = campaign;
  const goal = useOperation(scope, "getGoal", { path: { id: goalId ?? "" } }, { enabled: goalId !== null });
  const capabilities = useOperation(scope, "getAudienceCapabilities");
  const events = capabilities.data?.capabilities.events.map(({ name }) => name) ?? [];
  const goalEvent = goal.data?.goal.targetEvent ?? null;
  const isReady = goalId === null ? capabilities.data !== undefined : goal.data !== undefined;
  const event = chosen || (goalEvent ?? (isReady ? (events[0] ?? "") : ""));
  const conversions = useOperation(
    scope,
    "getCampaignConversions",
    { path: { id: campaign.id }, query: { event, series: "day" } },
    { enabled: event !== "" },
  );
  const days = conversions.data?.statistics.attributionDays;
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {words.comparison}
      </Title>
      {isReady && event === "" ? (
        <Text>{words.noEvent}</Text>
      ) : (
        <>
          <Select
            label={words.event}
            description={goalEvent === null ? words.noGoal : days && words.eventAbout(days)}
            data={[...new Set([event, ...(goalEvent === null ? [] : [goalEvent]), ...events])].filter(
              Boolean,
            )}
            value={event}
            allowDeselect={false}
            searchable
            maw="24rem"
            onChange={(name) => change({ event: name === goalEvent ? "" : (name ?? "") })}
          />
          <Loaded of={conversions}>{(of) => <Measured campaign={campaign} of={of} />}</Loaded>
        </>
      )}
    </Stack>
  );
}

export function Results({ scope, campaign }: Props) {
  return (
    <Stack gap="xl">
      <Funnel campaign={campaign} />
      {campaign.startedAt !== undefined && <Comparison scope={scope} campaign={campaign} />}
    </Stack>
  );
}
