import { SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { ORGANIZATION } from "../../platform/client.ts";
import { useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { Copied } from "../../ui/copied.tsx";
import { Figure } from "../../ui/figure.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Projects } from "./parts/projects.tsx";
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

export function OverviewPage({ scope }: { scope: string }) {
  return scope === ORGANIZATION ? <Projects /> : <ProjectOverview scope={scope} />;
}
