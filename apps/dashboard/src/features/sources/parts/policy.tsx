import { Alert, Anchor, Card, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Problem } from "../../../ui/problem.tsx";
import type { SourceLaunchPolicy } from "../rules.ts";
import { words } from "../words.ts";

function Mode({ scope, policy: { defaultMode, revision } }: { scope: string; policy: SourceLaunchPolicy }) {
  const changing = useChange(scope, "updateLaunchPolicy", ["getLaunchPolicy", "listAnnouncements"]);
  const other = defaultMode === "automatic" ? "manual" : "automatic";
  return (
    <Card withBorder>
      <Group justify="space-between">
        <div>
          <Text fw={600}>{words.modes[defaultMode]}</Text>
          <Text size="sm" c="dimmed">
            {words.policyAbout}
          </Text>
        </div>
        <RoleButton
          scope={scope}
          needs={"owner" as const}
          variant="default"
          size="xs"
          loading={changing.isPending}
          onClick={() => changing.mutate({ body: { defaultMode: other, expectedRevision: revision } })}
        >
          {words.toMode[other]}
        </RoleButton>
      </Group>
      {changing.error !== null && <Problem error={changing.error} />}
    </Card>
  );
}

/** How campaigns launch that say nothing of their own, and whether any does now. */
export function LaunchPolicy({ scope }: { scope: string }) {
  const policy = useOperation(scope, "getLaunchPolicy");
  const sources = useOperation(scope, "listSources");
  return (
    <Stack gap="sm">
      {sources.data?.paused === true && (
        <Alert color="red" title={words.allPaused}>
          <Anchor component={Link} to={`/p/${scope}/approvals`} size="sm">
            {words.toApprovals}
          </Anchor>
        </Alert>
      )}
      <Loaded query={policy}>{(known) => <Mode scope={scope} policy={known} />}</Loaded>
    </Stack>
  );
}
