import { Alert, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Json } from "../../ui/json.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import long from "../../ui/long.module.css";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { To } from "../../ui/to.tsx";
import { KindBadge, titleOf } from "./parts/kind.tsx";
import { Place } from "./parts/place.tsx";
import { Replay } from "./parts/replay.tsx";
import { Transcript } from "./parts/transcript.tsx";
import { decisionOf, isMerelySaid, reasonOf } from "./rules.ts";
import { words } from "./words.ts";

type Found = Answer<"getAgentRun">;
type Of = { scope: string; found: Found };

function Facts({ scope, found: { run, references } }: Of) {
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

/** What was decided and why: in words first, then as the run has it. */
function Decided({ found: { run, references } }: Pick<Of, "found">) {
  const decision = decisionOf(run);
  return (
    <Section title={words.decided}>
      {decision !== null && (
        <Text fw={600}>
          {`${words.actions[decision.action] ?? decision.action}, ${words.byPolicy(decision.policy)}`}
        </Text>
      )}
      <Text className={long.long}>{reasonOf(run, references) ?? words.noReason}</Text>
      {run.output === null ? (
        <Text c="dimmed">{words.noOutput}</Text>
      ) : (
        <Json value={run.output} label={words.output} />
      )}
    </Section>
  );
}

function Parts({ scope, found }: Of) {
  const { run, hasTranscript } = found;
  return (
    <Stack gap="xl">
      <Facts scope={scope} found={found} />
      {isMerelySaid(run) && (
        <Alert color="yellow" title={words.wordOfKey}>
          {words.wordOfKeyAbout}
        </Alert>
      )}
      <Decided found={found} />
      {decisionOf(run) !== null && <Replay key={run.id} scope={scope} runId={run.id} />}
      <Section title={words.saw}>
        {run.input === null ? (
          <Text c="dimmed">{words.sawNothing}</Text>
        ) : (
          <Json value={run.input} label={words.snapshot} />
        )}
      </Section>
      {hasTranscript && <Transcript key={run.id} scope={scope} runId={run.id} />}
      <Place scope={scope} found={found} />
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
      <Loaded of={found}>{(known) => <Parts scope={scope} found={known} />}</Loaded>
    </Page>
  );
}
