import { Stack } from "@mantine/core";
import { Page } from "../../ui/page.tsx";
import { CaughtOf } from "../../ui/reach/reach.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { Views } from "../../ui/views.tsx";
import { AgentGlance } from "./parts/agent-glance.tsx";
import { AgentModelUsage } from "./parts/agent-model-usage.tsx";
import { ChainCheck } from "./parts/chain-check.tsx";
import { EvaluationPlan } from "./parts/evaluation-plan.tsx";
import { PlannedCampaigns } from "./parts/planned.tsx";
import { Runs } from "./parts/runs.tsx";
import { words } from "./words.ts";

export function AgentPage({ scope }: { scope: string }) {
  const { views } = words;
  return (
    <Page about={`${words.about} ${timesOf()}`} actions={<EvaluationPlan scope={scope} campaign={null} />}>
      <Stack gap="xl">
        <AgentGlance scope={scope} />
        <CaughtOf scope={scope} channels={["email", "push"]} />
        <Views
          label={words.sections}
          views={[
            { name: "campaigns", label: views.campaigns, content: <PlannedCampaigns scope={scope} /> },
            { name: "runs", label: views.runs, content: <Runs scope={scope} /> },
            { name: "chain", label: views.chain, content: <ChainCheck scope={scope} /> },
            { name: "usage", label: views.usage, content: <AgentModelUsage scope={scope} /> },
          ]}
        />
      </Stack>
    </Page>
  );
}
