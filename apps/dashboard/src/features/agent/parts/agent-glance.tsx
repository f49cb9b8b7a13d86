import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { findMissingAgent } from "../../../ui/at-work/rules.ts";
import { Unattended } from "../../../ui/at-work/unattended.tsx";
import { pausedBy } from "../../../ui/campaigns/paused-by.ts";
import { Figure } from "../../../ui/charts/figure.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { spanOf } from "../../../ui/texts/span.ts";
import { To } from "../../../ui/to.tsx";
import type { AgentActivity, AgentSettings } from "../rules.ts";
import { words } from "../words.ts";

type Known = { settings: AgentSettings; activity: AgentActivity };

/** Whether a process or a program looks after campaigns: by what they do, not by what is set alone. */
function stateOf({ settings, activity }: Known): { value: string; about: string; isWrong?: boolean } {
  const { states, stateAbout } = words;
  const { by, programAt, overdue } = activity.atWork;
  if (settings.loopPaused) {
    const author = activity.pausedBy;
    const pausedIt = author === null ? [] : [`${pausedBy(author.by, timeOf(author.at))}.`];
    return { value: states.paused, about: [stateAbout.paused, ...pausedIt].join(" ") };
  }
  const missing = findMissingAgent(activity.atWork);
  if (missing !== null) {
    const why = missing === "agent" ? stateAbout.noProcess : stateAbout.noProgram;
    const late = overdue === null ? [] : [stateAbout.overdue(spanOf(Date.now() - overdue.since))];
    return { value: states.unattended, about: [why, ...late].join(" "), isWrong: true };
  }
  if (activity.policy === null)
    return {
      value: states.own,
      about: programAt === null ? stateAbout.ownNever : stateAbout.ownAt(timeOf(programAt)),
    };
  if (by === "program")
    return {
      value: states.works,
      about: programAt === null ? "" : stateAbout.program(timeOf(programAt)),
    };
  if (activity.policy === "model@1" && settings.ai.limitReached)
    return { value: states.noCredits, about: stateAbout.noCredits };
  return { value: states.works, about: stateAbout.works(activity.everyHours) };
}

const shareOf = (used: number, most: number): number => (most === 0 ? 1 : used / most);

function Facts({ settings, activity }: Known) {
  const { policy, model } = activity;
  const used = (count: number, most: number) => ({
    value: words.usedOfMost(numberOf(count), numberOf(most)),
    share: shareOf(count, most),
  });
  return (
    <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="sm">
      <Figure label={words.state} {...stateOf({ settings, activity })} />
      <Figure
        label={words.policy}
        value={policy === null ? words.noPolicy : (words.policies[policy] ?? policy)}
        {...(policy !== null && { about: model !== null && policy === "model@1" ? model : policy })}
      />
      <Figure label={words.runsToday} {...used(activity.runsUsedToday, settings.maxRunsPerDay)} />
      <Figure label={words.evaluating} {...used(activity.evaluating, settings.maxConcurrentCampaigns)} />
      <Figure label={words.credits} {...used(settings.ai.creditsUsed, settings.ai.monthlyLimit)} />
    </SimpleGrid>
  );
}

function Missed({ activity }: Pick<Known, "activity">) {
  const missing = findMissingAgent(activity.atWork);
  return missing === null ? null : <Unattended missing={missing} />;
}

/** What people allow the agent, and how much of it is used. */
export function AgentGlance({ scope }: { scope: string }) {
  const settings = useOperation(scope, "getAgentSettings");
  const activity = useOperation(scope, "getAgentActivity");
  return (
    <Loaded query={settings}>
      {(set) => (
        <Loaded query={activity}>
          {(done) => (
            <Stack gap="sm">
              <Facts settings={set} activity={done} />
              <Missed activity={done} />
              <Group gap="md">
                <Text size="sm" c="dimmed">
                  {`${set.approvalOverride === null ? words.asksPeopleGoal : words.asksPeople}. ${words.decideWithin(done.approvalHours)}`}
                </Text>
                <To scope={scope} path="approvals">
                  {words.approvals}
                </To>
                <To scope={scope} path="settings">
                  {words.settings}
                </To>
              </Group>
            </Stack>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}
