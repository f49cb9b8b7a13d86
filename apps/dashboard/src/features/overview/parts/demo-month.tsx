import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { monthWords as words } from "../month-words.ts";

/** What a month makes old. What else shows it has not been opened yet in an empty project, or is read again while it is looked at. */
const STALE = [
  ...(["getOverview", "getMetrics", "getResultDays", "getWaiting", "listActivity", "getUsage"] as const),
  ...(["listCampaigns", "listUsers", "getUserSummary", "listAuditEntries", "getMe"] as const),
] as const;

/**
 * Fills the demo's project with a month of a shop, as long as there is next to nothing in it; shown to the organization, it makes the project
 * first where there is none. Then the project is opened.
 */
export function DemoMonth({ scope }: { scope: string }) {
  const navigate = useNavigate();
  const filling = useChange(scope, "fillDemoMonth", STALE);
  // One effect, however often a button is pressed whose answer was lost. What is about no single project takes no key: it has one effect by itself.
  const { headers } = useRequestKey();
  // Once the demo is there it is not offered any more: what follows must not depend on this part.
  const fill = (): void =>
    void filling
      .mutateAsync(scope === ORGANIZATION ? {} : { headers })
      .then(({ projectId }) => navigate({ to: `/p/${projectId}/overview` }))
      .catch(() => undefined);
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.title}
        </Title>
        <Text c="dimmed">{words.about}</Text>
        {filling.error !== null && <Problem error={filling.error} />}
        <Group>
          <RoleButton scope={scope} needs="owner" loading={filling.isPending} onClick={fill}>
            {words.fill}
          </RoleButton>
          <Text size="sm" role="status">
            {filling.isPending ? words.filling : null}
          </Text>
        </Group>
      </Stack>
    </Card>
  );
}
