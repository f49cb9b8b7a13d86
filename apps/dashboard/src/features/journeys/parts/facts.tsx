import { Group, Stack, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { WithCampaigns } from "../../../ui/campaigns/campaign-names.ts";
import { StatusBadge } from "../../../ui/campaigns/campaign-status.tsx";
import { ruleInWords } from "../../../ui/journey-steps/titles.ts";
import long from "../../../ui/look/long.module.css";
import { To } from "../../../ui/to.tsx";
import { entryInWords, type Journey } from "../rules.ts";
import { words } from "../words.ts";

type OfJourney = { scope: string; journey: Journey };

/** When a journey was made, launched and ended, in the order of its life. */
function datesOf({ createdAt, startedAt, endedAt, version }: Journey): string {
  return [
    words.madeAt(timeOf(createdAt)),
    startedAt !== null && words.startedAt(timeOf(startedAt)),
    endedAt !== null && words.endedAt(timeOf(endedAt)),
    words.version(numberOf(version)),
  ]
    .filter((part) => part !== false)
    .join(", ");
}

/** Which users may enter, in a sentence. */
function allowedOf({ audience }: Journey): string {
  if (audience === null || audience.kind === "all") return words.mayEnterAll;
  return audience.kind === "invalid" ? words.mayEnterNone : words.mayEnter(audience.summary);
}

/** How a journey stands: its status, how users come in, which of them, how often, how they leave, and its goal. */
export function Facts({ scope, journey }: OfJourney) {
  const { status, goalId, entry, again, exit, audience } = journey;
  const goal = useOperation(scope, "getGoal", { path: { id: goalId ?? "" } }, { enabled: goalId !== null });
  const goalEvent = goal.data?.goal.targetEvent ?? null;
  const ways = [
    ...(exit.onGoal && goalId !== null && goalEvent !== null ? [words.goalEvent(goalEvent)] : []),
    ...exit.events.map(ruleInWords),
  ];
  const sentences = [
    entryInWords(journey),
    ...(entry.on === "audience" ? [] : [allowedOf(journey)]),
    again === null ? words.againNever : words.againAfter(again.afterDays),
    words.leaves(ways),
  ];
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <StatusBadge status={status} />
        <Text size="sm" c="dimmed">
          {datesOf(journey)}
        </Text>
      </Group>
      {sentences.map((sentence) => (
        <Text key={sentence} size="sm" className={long.long}>
          <WithCampaigns scope={scope} text={sentence} />
        </Text>
      ))}
      <Group gap="md">
        {goalId !== null && (
          <To scope={scope} path={`goals/${goalId}`}>
            {words.ofGoal(goal.data?.goal.name ?? null)}
          </To>
        )}
        {audience?.kind === "segment" && (
          <To scope={scope} path={`segments/${audience.segmentId}`}>
            {words.segment}
          </To>
        )}
      </Group>
    </Stack>
  );
}
