import { Badge, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { exactTimeOf } from "../../../platform/times.ts";
import long from "../../../ui/look/long.module.css";
import type { WebhookAttempt } from "../rules.ts";
import { words } from "../words.ts";

/** One request that carried the message, with what came back. */
const Attempt = ({ attempt: { at, ms, status, answer, fault } }: { attempt: WebhookAttempt }) => (
  <Paper withBorder p="xs" component="li">
    <Stack gap={4}>
      <Group gap="xs">
        <Badge variant={fault === null ? "default" : "filled"} {...(fault !== null && { color: "red" })}>
          {status === null ? words.noAnswer : String(status)}
        </Badge>
        <Text size="sm">{exactTimeOf(at)}</Text>
        <Text size="sm" c="dimmed">
          {words.milliseconds(ms)}
        </Text>
      </Group>
      {fault !== null && (
        <Text size="sm" className={long.long}>
          {fault}
        </Text>
      )}
      {answer !== null && answer !== "" && (
        <Code block className={long.long ?? ""} style={{ whiteSpace: "pre-wrap" }} aria-label={words.answer}>
          {answer}
        </Code>
      )}
    </Stack>
  </Paper>
);

/** The requests that carried a message, the newest first. */
export function Attempts({ attempts }: { attempts: readonly WebhookAttempt[] }) {
  if (attempts.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {words.noAttempts}
      </Text>
    );
  const numbered = attempts.map((attempt, index) => ({ attempt, ordinal: attempts.length - index }));
  return (
    <Stack gap="xs" component="ol" p={0} m={0} style={{ listStyle: "none" }}>
      {numbered.map(({ attempt, ordinal }) => (
        <Attempt key={ordinal} attempt={attempt} />
      ))}
    </Stack>
  );
}
