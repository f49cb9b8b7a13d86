import { Select, Stack, Text, Title } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import type { CampaignDetail, Goal } from "../../../platform/api-types.ts";
import { percentOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { variantWords } from "../../../ui/statistics/comparison-words.ts";
import { FindingOf } from "../../../ui/statistics/finding.tsx";
import { HoldoutOf } from "../../../ui/statistics/holdout.tsx";
import { SplitOf } from "../../../ui/statistics/split.tsx";
import { words } from "../words.ts";
import { EarlierTexts } from "./earlier-texts.tsx";
import { Funnel } from "./funnel.tsx";
import { LiftBands } from "./lift-bands.tsx";
import { type Conversions, partedBy, withoutUnseen } from "./rules.ts";
import { TakenOut, VariantsTable } from "./variants-table.tsx";

type Props = { scope: string; campaign: CampaignDetail };

function Measured({ scope, campaign, conversions: all }: Props & { conversions: Conversions }) {
  const conversions = withoutUnseen(all, campaign);
  const { statistics, evaluatedAt, earlier = [] } = conversions;
  const names = new Map(campaign.variants.map(({ id, name }) => [id, name]));
  const { present, takenOut } = partedBy(statistics);
  const table = { scope, campaign, statistics, names, earlier };
  return (
    <Stack gap="lg">
      <FindingOf statistics={statistics} names={names} sides={variantWords} />
      <VariantsTable {...table} />
      <LiftBands conversions={conversions} names={names} shown={present} />
      <TakenOut {...table}>
        <LiftBands conversions={conversions} names={names} shown={takenOut} />
      </TakenOut>
      <EarlierTexts texts={earlier} names={names} />
      <SplitOf
        sampleRatio={statistics.sampleRatio}
        unknownAllocation={statistics.unknownAllocation}
        names={names}
        sides={variantWords}
      />
      {statistics.holdout !== null && (
        <HoldoutOf holdout={statistics.holdout} about={words.holdoutAbout(statistics.holdout.percent)} />
      )}
      {statistics.merged.units > 0 && (
        <Text size="sm">
          {words.countedTwice(statistics.merged.units, percentOf(statistics.merged.share))}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {words.age(timeOf(evaluatedAt), timeOf(statistics.maturedUntil))}
      </Text>
    </Stack>
  );
}

/** What may be claimed for the event that is chosen, or for the one of the goal. */
function Claims({ scope, campaign, event }: Props & { event: string }) {
  const conversions = useOperation(scope, "getCampaignConversions", {
    path: { id: campaign.id },
    query: { event, series: "day", earlier: "texts" },
  });
  return (
    <Loaded query={conversions}>
      {(found) => <Measured scope={scope} campaign={campaign} conversions={found} />}
    </Loaded>
  );
}

/** Chooses what counts as success: the event of the goal, unless the address names another one. */
function Choice({ scope, campaign, goal }: Props & { goal: Goal | null }) {
  const [{ event: chosen = "" }, change] = useAddress();
  const capabilities = useOperation(scope, "getAudienceCapabilities");
  const events = capabilities.data?.capabilities.events.map(({ name }) => name) ?? [];
  const goalEvent = goal?.targetEvent ?? null;
  const event = chosen || (goalEvent ?? events[0] ?? "");
  if (event === "") return <Loaded query={capabilities}>{() => <Text>{words.noEvent}</Text>}</Loaded>;
  return (
    <Stack gap="md">
      <Select
        label={words.event}
        description={
          goal === null || goalEvent === null ? words.noGoal : words.eventAbout(goal.attributionDays)
        }
        data={[...new Set([event, ...(goalEvent === null ? [] : [goalEvent]), ...events])]}
        value={event}
        allowDeselect={false}
        searchable
        maw="24rem"
        onChange={(name) => change({ event: name === goalEvent ? "" : (name ?? "") })}
      />
      <Claims scope={scope} campaign={campaign} event={event} />
    </Stack>
  );
}

function Comparison({ scope, campaign }: Props) {
  const { goalId } = campaign;
  const found = useOperation(scope, "getGoal", { path: { id: goalId ?? "" } }, { enabled: goalId !== null });
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {words.comparison}
      </Title>
      {goalId === null ? (
        <Choice scope={scope} campaign={campaign} goal={null} />
      ) : (
        <Loaded query={found}>
          {({ goal }) => <Choice scope={scope} campaign={campaign} goal={goal} />}
        </Loaded>
      )}
    </Stack>
  );
}

export function ResultsPanel({ scope, campaign }: Props) {
  return (
    <Stack gap="xl">
      <Funnel scope={scope} campaign={campaign} />
      {campaign.startedAt !== undefined && <Comparison scope={scope} campaign={campaign} />}
    </Stack>
  );
}
