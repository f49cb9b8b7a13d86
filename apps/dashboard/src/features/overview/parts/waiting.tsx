import { Anchor, Box, Card, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf } from "../../../platform/times.ts";
import { useIsNobodyWorking } from "../../../ui/at-work/nobody.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import type { Setup } from "../../../ui/reach/rules.ts";
import { type Line, linesOf } from "../rules.ts";
import { words } from "../words.ts";
import { Checklist } from "./checklist.tsx";
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

/** That nothing waits, and no more than is so: that all goes by itself only where somebody works and pages come for messages. */
function calmOf(isStill: boolean, setup: Setup | undefined): string {
  if (isStill) return words.calmButStill;
  if (setup === undefined) return words.calmSoFar;
  return setup.hasPageView ? words.calm : words.calmButUnseen;
}

/** Whoever has just put in the lines looks at this list until it has its tick. */
const SETUP_EVERY_MS = 5_000;

type Props = { scope: string; projectKey: string | null };

/** What waits for people in a project, each with the way to where it is settled, and what is left of its first steps. */
export function WaitingPart({ scope, projectKey }: Props) {
  const waiting = useOperation(scope, "getWaiting");
  const read = useOperation(scope, "getSetup", undefined, { refetchInterval: SETUP_EVERY_MS });
  // What is known of the project that was looked at before says nothing of this one.
  const setup = read.isPlaceholderData ? undefined : read.data;
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
            if (lines.length === 0) return <Text>{calmOf(isStill, setup)}</Text>;
            return (
              <ul className={classes.lines}>
                {lines.map((line) => (
                  <LineOf key={`${line.kind} ${line.id}`} scope={scope} line={line} />
                ))}
              </ul>
            );
          }}
        </Loaded>
        {setup !== undefined && (
          <Box mt="md">
            <Checklist key={scope} {...{ scope, setup, projectKey }} />
          </Box>
        )}
      </Card>
    </Stack>
  );
}
