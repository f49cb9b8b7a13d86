import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { browserName } from "../browser-name.ts";
import { words } from "../words.ts";

export function Sessions() {
  const sessions = useOperation(ORGANIZATION, "listSessions");
  const ending = useChange(ORGANIZATION, "endSession", ["listSessions"]);
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        {words.sessions}
      </Title>
      {ending.error !== null && <Problem error={ending.error} />}
      <Loaded query={sessions}>
        {({ sessions: known }) =>
          known.map(({ id, browser, createdAt, lastSeenAt, isThis }) => (
            <Group key={id} justify="space-between" mb="sm">
              <div>
                <Group gap="xs">
                  <Text fw={600}>{browserName(browser) ?? words.unknown}</Text>
                  {isThis && <Badge variant="light">{words.here}</Badge>}
                </Group>
                <Text size="sm" c="dimmed">
                  {words.since(timeOf(createdAt), timeOf(lastSeenAt))}
                </Text>
              </div>
              {!isThis && (
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => ending.mutate({ path: { sessionId: id } })}
                >
                  {words.end}
                </Button>
              )}
            </Group>
          ))
        }
      </Loaded>
    </Stack>
  );
}
