import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useChange } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Problem } from "../../../ui/problem.tsx";
import type { Invitation } from "../members.ts";
import { words } from "../words.ts";

type Props = { scope: string; invitations: readonly Invitation[] };

export function Invitations({ scope, invitations }: Props) {
  const withdrawing = useChange(scope, "withdrawInvitation", ["listPeople"]);
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {words.invitations}
      </Title>
      {withdrawing.error !== null && <Problem error={withdrawing.error} />}
      {invitations.map(({ email, role, madeBy, expiresAt }) => (
        <Group key={email} justify="space-between">
          <div>
            <Group gap="xs">
              <Text fw={600}>{email}</Text>
              <Badge variant="light">{words.roles[role]}</Badge>
            </Group>
            <Text size="sm" c="dimmed">
              {words.invitedBy(madeBy, timeOf(expiresAt))}
            </Text>
          </div>
          <Button variant="default" size="xs" onClick={() => withdrawing.mutate({ path: { email } })}>
            {words.withdraw}
          </Button>
        </Group>
      ))}
    </Stack>
  );
}
