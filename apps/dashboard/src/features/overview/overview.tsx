import { SimpleGrid } from "@mantine/core";
import { ORGANIZATION } from "../../platform/client.ts";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { zoneName } from "../../platform/times.ts";
import { Figure } from "../../ui/charts/figure.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { isMonthOffered } from "./month.pure.ts";
import { DemoMonth } from "./parts/demo-month.tsx";
import { DemoOffer } from "./parts/demo-offer.tsx";
import { FirstSteps } from "./parts/first-steps.tsx";
import { LastDays } from "./parts/last-days.tsx";
import { ProjectActivity } from "./parts/project-activity.tsx";
import { Projects } from "./parts/projects.tsx";
import { WaitingPart } from "./parts/waiting.tsx";
import { words } from "./words.ts";

function Figures({ scope }: { scope: string }) {
  const figures = useOperation(scope, "getOverview");
  const usage = useOperation(scope, "getUsage");
  const active = usage.data?.projects.find(({ id }) => id === scope)?.activeUsers;
  return (
    <Loaded query={figures}>
      {({ endUsers, eventsLast7d, runningCampaigns, withheldDeliveries }) => (
        <SimpleGrid cols={{ base: 2, md: 5 }}>
          <Figure label={words.users} value={endUsers} />
          {active !== undefined && <Figure label={words.active} value={active} />}
          <Figure label={words.events} value={eventsLast7d} />
          <Figure label={words.campaigns} value={runningCampaigns} />
          <Figure label={words.withheld} value={withheldDeliveries} />
        </SimpleGrid>
      )}
    </Loaded>
  );
}

function ProjectOverview({ scope }: { scope: string }) {
  const metrics = useOperation(scope, "getMetrics", { query: { range: "90d" } });
  const figures = useOperation(scope, "getOverview").data;
  const project = useMe().projects.find(({ id }) => id === scope);
  const isMonthShown = project !== undefined && figures !== undefined && isMonthOffered(project, figures);
  const isNew = metrics.data?.hasAnyActivity === false;
  const projectKey = project?.publishableKey ?? null;
  return (
    <Page {...(project !== undefined && { title: project.name })} about={words.about(zoneName())}>
      {isMonthShown && <DemoMonth scope={scope} />}
      <WaitingPart scope={scope} projectKey={projectKey} />
      {isNew && <DemoOffer />}
      <Figures scope={scope} />
      <LastDays scope={scope} metrics={metrics} />
      <ProjectActivity scope={scope} />
      <FirstSteps projectKey={projectKey} />
    </Page>
  );
}

export function OverviewPage({ scope }: { scope: string }) {
  return scope === ORGANIZATION ? <Projects /> : <ProjectOverview scope={scope} />;
}
