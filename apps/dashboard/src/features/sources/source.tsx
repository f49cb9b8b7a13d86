import { Anchor, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { Deployments } from "./parts/deployments.tsx";
import { Mappings } from "./parts/mappings.tsx";
import { RepositoryState } from "./parts/repositories.tsx";
import { SourceActions } from "./parts/source-actions.tsx";
import type { SourceSetup } from "./rules.ts";
import { words } from "./words.ts";

function Facts({ setup: { source, hasCredential, failures, instructions } }: { setup: SourceSetup }) {
  const looked = source.fetchedAt === null ? words.neverLooked : words.looked(timeOf(source.fetchedAt));
  return (
    <Stack gap="xs">
      <Text className={classes.long}>{source.repository}</Text>
      <Text size="sm" c="dimmed">
        {words.facts(
          words.kinds[source.kind],
          hasCredential ? words.withCredential : words.withoutCredential,
        )}
      </Text>
      <RepositoryState source={source} />
      <Text size="sm" c="dimmed">
        {failures > 0 ? `${looked} ${words.failures(failures)}` : looked}
      </Text>
      {instructions !== "" && (
        <div>
          <Text size="sm" fw={600}>
            {words.instructions}
          </Text>
          <Text size="sm" className={classes.long}>
            {instructions}
          </Text>
        </div>
      )}
    </Stack>
  );
}

export function SourcePage({ scope }: { scope: string }) {
  const id = useNamed("sourceId");
  const found = useOperation(scope, "getSource", { path: { id } });
  return (
    <Page title={id} actions={found.data && <SourceActions key={id} scope={scope} setup={found.data} />}>
      <Anchor component={Link} to={`/p/${scope}/sources`} size="sm">
        {words.back}
      </Anchor>
      <Loaded query={found}>
        {(setup) => (
          <Stack gap="xl">
            <Facts setup={setup} />
            <Mappings key={id} scope={scope} source={setup.source} />
            <Stack gap="sm">
              <Title order={2} size="h4">
                {words.ofSource}
              </Title>
              <Deployments scope={scope} sourceId={id} />
            </Stack>
            <Text size="sm" c="dimmed">
              {timesOf()}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
