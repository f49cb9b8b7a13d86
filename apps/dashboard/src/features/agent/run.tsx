import { Alert, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import long from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { JsonBlock } from "../../ui/texts/json.tsx";
import { To } from "../../ui/to.tsx";
import { ChainPosition } from "./parts/chain-position.tsx";
import { KindBadge, titleOf } from "./parts/kind.tsx";
import { Replay } from "./parts/replay.tsx";
import { RunTranscript } from "./parts/run-transcript.tsx";
import { Seen } from "./parts/seen.tsx";
import { describeRunReason, isMerelyReported } from "./rules.ts";
import { type DecisionStory, storyOf } from "./story.pure.ts";
import { words } from "./words.ts";

type Found = Answer<"getAgentRun">;
type Props = { scope: string; found: Found };

function Facts({ scope, found: { run, references } }: Props) {
  const { campaignId, goalId } = run;
  return (
    <Group gap="md">
      <KindBadge run={run} />
      <Text size="sm" c="dimmed">
        {words.at(timeOf(run.createdAt))}
      </Text>
      {campaignId !== null && (
        <To scope={scope} path={`campaigns/${campaignId}`}>
          {references.campaigns[campaignId] ?? words.ofCampaign}
        </To>
      )}
      {goalId !== null && (
        <To scope={scope} path={`goals/${goalId}`}>
          {references.goals[goalId] ?? words.ofGoal}
        </To>
      )}
    </Group>
  );
}

/** What was decided, and why. */
function Decided({
  found: { run, references },
  story,
}: Pick<Props, "found"> & { story: DecisionStory | null }) {
  return (
    <Section title={words.decided}>
      {story !== null && (
        <Text
          fw={600}
        >{`${actionOf(story)}, ${words.byPolicy[story.policy] ?? words.byOther(story.policy)}`}</Text>
      )}
      <Text className={long.long}>{describeRunReason(run, references) ?? words.noReason}</Text>
    </Section>
  );
}

const actionOf = ({ action }: DecisionStory): string => words.actions[action] ?? words.otherAction(action);

/** Every word of a run, for programs and auditors. */
const Recorded = ({ run: { input, output } }: Pick<Found, "run">) =>
  input === null && output === null ? null : (
    <details>
      <summary>{words.record}</summary>
      <Stack gap="xs" mt="sm">
        <Text size="sm" c="dimmed" maw="44rem">
          {words.recordAbout}
        </Text>
        {input !== null && (
          <>
            <Text size="sm">{words.snapshot}</Text>
            <JsonBlock value={input} label={words.snapshot} />
          </>
        )}
        {output !== null && (
          <>
            <Text size="sm">{words.output}</Text>
            <JsonBlock value={output} label={words.output} />
          </>
        )}
      </Stack>
    </details>
  );

function Parts({ scope, found }: Props) {
  const { run, hasTranscript } = found;
  const story = storyOf(run);
  return (
    <Stack gap="xl">
      <Facts scope={scope} found={found} />
      {isMerelyReported(run) && (
        <Alert color="yellow" title={words.wordOfKey}>
          {words.wordOfKeyAbout}
        </Alert>
      )}
      <Decided found={found} story={story} />
      {story !== null && <Seen story={story} variants={found.references.variants ?? {}} />}
      {story !== null && <Replay key={run.id} scope={scope} runId={run.id} />}
      {hasTranscript && <RunTranscript key={run.id} scope={scope} runId={run.id} />}
      <ChainPosition scope={scope} found={found} />
      <Recorded run={run} />
    </Stack>
  );
}

export function RunPage({ scope }: { scope: string }) {
  const id = useNamed("runId");
  const found = useOperation(scope, "getAgentRun", { path: { id } });
  const run = found.data?.run;
  return (
    <Page {...(run !== undefined && { title: titleOf(run) })}>
      <To scope={scope} path="agent" search={{ view: "runs" }}>
        {words.back}
      </To>
      <Loaded query={found}>{(known) => <Parts scope={scope} found={known} />}</Loaded>
    </Page>
  );
}
