import { Anchor, Card, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf } from "../../../platform/times.ts";
import { useIsNobodyWorking } from "../../../ui/at-work/nobody.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { type Line, linesOf } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./waiting.module.css";

function LineOf({ scope, line: { kind, text, path, search } }: { scope: string; line: Line }) {
  return (
    <li className={classes.line}>
      <Text size="sm" fw={600}>
        {words.kinds[kind]}
      </Text>
      <Text size="sm" className={classes.text ?? ""}>
        {text}
      </Text>
      <Anchor
        component={Link}
        to={`/p/${scope}/${path}`}
        search={search as never}
        size="sm"
        aria-label={`${words.settle[kind]}: ${text}`}
      >
        {words.settle[kind]}
      </Anchor>
    </li>
  );
}

/** What waits for people in a project, each with the way to where it is settled. */
export function WaitingPart({ scope }: { scope: string }) {
  const waiting = useOperation(scope, "getWaiting");
  const isStill = useIsNobodyWorking();
  return (
    <Stack component="section" gap="xs" aria-labelledby="waiting">
      <Group justify="space-between" align="baseline">
        <Title order={2} size="h4" id="waiting">
          {words.waiting}
        </Title>
        {waiting.data !== undefined && (
          <Text size="sm" c="dimmed">
            {words.asOf(timeWithSecondsOf(waiting.data.evaluatedAt))}
          </Text>
        )}
      </Group>
      <Card withBorder>
        <Loaded of={waiting}>
          {(known) => {
            const lines = linesOf(known);
            if (lines.length === 0) return <Text>{isStill ? words.calmButStill : words.calm}</Text>;
            return (
              <ul className={classes.lines}>
                {lines.map((line) => (
                  <LineOf key={`${line.kind} ${line.id}`} scope={scope} line={line} />
                ))}
              </ul>
            );
          }}
        </Loaded>
      </Card>
    </Stack>
  );
}
