import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { newRequestKey } from "../../../platform/request-key.ts";
import { Problem } from "../../../ui/problem.tsx";
import { RoleButton } from "../../../ui/role-button.tsx";
import { monthWords as words } from "../month-words.ts";

/** What a month makes old. What else shows it has not been opened yet in an empty project, or is read again while it is looked at. */
const STALE = [
  ...(["getOverview", "getMetrics", "getWaiting", "listActivity", "getUsage"] as const),
  ...(["listCampaigns", "listUsers", "getUserSummary", "listAuditEntries"] as const),
] as const;

/** Fills the demo's project with a month of a shop, as long as there is next to nothing in it. */
export function DemoMonth({ scope }: { scope: string }) {
  const filling = useChange(scope, "fillDemoMonth", STALE);
  // One effect, however often a button is pressed whose answer was lost.
  const [key] = useState(newRequestKey);
  const fill = (): void => filling.mutate({ headers: { "idempotency-key": key } });
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
