import { Stack } from "@mantine/core";
import { Page } from "../../ui/page.tsx";
import { CaughtOf } from "../../ui/reach/reach.tsx";
import { timesOf } from "../../ui/times-of.ts";
import { Views } from "../../ui/views.tsx";
import { Chain } from "./parts/chain.tsx";
import { Glance } from "./parts/glance.tsx";
import { Plan } from "./parts/plan.tsx";
import { PlannedCampaigns } from "./parts/planned.tsx";
import { Runs } from "./parts/runs.tsx";
import { Usage } from "./parts/usage.tsx";
import { words } from "./words.ts";

export function AgentPage({ scope }: { scope: string }) {
  const { views } = words;
  return (
    <Page about={`${words.about} ${timesOf()}`} actions={<Plan scope={scope} campaign={null} />}>
      <Stack gap="xl">
        <Glance scope={scope} />
        <CaughtOf scope={scope} channels={["email", "push"]} />
        <Views
          label={words.sections}
          views={[
            { name: "campaigns", label: views.campaigns, content: <PlannedCampaigns scope={scope} /> },
            { name: "runs", label: views.runs, content: <Runs scope={scope} /> },
            { name: "chain", label: views.chain, content: <Chain scope={scope} /> },
            { name: "usage", label: views.usage, content: <Usage scope={scope} /> },
          ]}
        />
      </Stack>
    </Page>
  );
}
