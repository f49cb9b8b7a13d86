import { Anchor, Badge, Card, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { ORGANIZATION } from "../../platform/client.ts";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { Copied } from "../../ui/copied.tsx";
import { Figure } from "../../ui/figure.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { isMonthOffered } from "./month.pure.ts";
import { DemoMonth } from "./parts/demo-month.tsx";
import { words } from "./words.ts";

/** The lines that a page needs, with the key of the project. */
const snippetOf = (key: string): string =>
  `<script async src="${location.origin}/tidings.js" data-key="${key}"></script>
<script>
  (window.tidings ??= []).push(["identify", "ada", { plan: "free" }]);
</script>`;

function ProjectOverview({ scope }: { scope: string }) {
  const figures = useOperation(scope, "getOverview");
  const project = useMe().projects.find(({ id }) => id === scope);
  const key = project?.publishableKey ?? null;
  return (
    <Page {...(project !== undefined && { title: project.name })} about={words.about}>
      <Loaded of={figures}>
        {({ endUsers, eventsLast7d, activeCampaigns, withheldDeliveries }) => (
          <SimpleGrid cols={{ base: 2, md: 4 }}>
            <Figure label={words.users} value={endUsers} />
            <Figure label={words.events} value={eventsLast7d} />
            <Figure label={words.campaigns} value={activeCampaigns} />
            <Figure label={words.withheld} value={withheldDeliveries} />
          </SimpleGrid>
        )}
      </Loaded>
      {project !== undefined && figures.data !== undefined && isMonthOffered(project, figures.data) && (
        <DemoMonth scope={scope} />
      )}
      <Stack gap="xs">
        <Title order={2} size="h4">
          {words.begin}
        </Title>
        <Text c="dimmed">{key === null ? words.noKey : words.beginAbout}</Text>
        {key !== null && <Copied text={snippetOf(key)} label={words.snippet} />}
      </Stack>
    </Page>
  );
}

function Projects() {
  const { projects } = useMe();
  return (
    <Page title={words.projects} about={words.projectsAbout}>
      {projects.length === 0 && <Text>{words.none}</Text>}
      <Stack>
        {projects.map(({ id, name, role, isDemo }) => (
          <Card key={id} withBorder>
            <Group justify="space-between">
              <Group gap="xs">
                <Anchor component={Link} to={`/p/${id}/overview`} fw={600}>
                  {name}
                </Anchor>
                {isDemo && <Badge variant="default">{words.demo}</Badge>}
              </Group>
              <Badge variant="light">{role}</Badge>
            </Group>
          </Card>
        ))}
      </Stack>
    </Page>
  );
}

export function OverviewPage({ scope }: { scope: string }) {
  return scope === ORGANIZATION ? <Projects /> : <ProjectOverview scope={scope} />;
}
