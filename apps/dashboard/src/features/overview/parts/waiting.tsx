import { Anchor, Box, Card, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { readSteps } from "../../../platform/kept-steps.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf } from "../../../platform/times.ts";
import { useHasNoWorker } from "../../../ui/at-work/no-worker.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import type { Setup } from "../../../ui/reach/rules.ts";
import { type WaitingLine, waitingLines } from "../rules.ts";
import { openSteps } from "../steps.pure.ts";
import { words } from "../words.ts";
import { Checklist } from "./checklist.tsx";
import classes from "./waiting.module.css";

function LineOf({ scope, line: { kind, text, path, search } }: { scope: string; line: WaitingLine }) {
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
        aria-label={`${words.ways[kind]}: ${text}`}
      >
        {words.ways[kind]}
      </Anchor>
    </li>
  );
}

/** That nothing waits, and no more than is so: that all goes by itself only where a process works and pages come for messages. */
function calmOf(isStill: boolean, setup: Setup | undefined): string {
  if (isStill) return words.calmButStill;
  if (setup === undefined) return words.calmSoFar;
  return setup.hasPageView ? words.calm : words.calmButUnseen;
}

/** A person who has just put in the lines looks at this list until it has its tick. */
const LIST_EVERY_MS = 5_000;
/** Where the list is not shown, this is read for one sentence alone: that no page has come yet. */
const SENTENCE_EVERY_MS = 15_000;

/** How often the first steps are read while the page is visible; not again once nothing that is shown can change any more. */
function setupEvery(scope: string, setup: Setup | undefined): number | false {
  if (setup === undefined) return LIST_EVERY_MS;
  const { isHidden, skipped } = readSteps(scope);
  if (!isHidden && openSteps(setup, skipped).length > 0) return LIST_EVERY_MS;
  return setup.hasPageView ? false : SENTENCE_EVERY_MS;
}

type Props = { scope: string; projectKey: string | null };

/** What waits for people in a project, each with the way to where it is decided, and what is left of its first steps. */
export function WaitingPart({ scope, projectKey }: Props) {
  const waiting = useOperation(scope, "getWaiting");
  const read = useOperation(scope, "getSetup", undefined, {
    refetchInterval: ({ state }) => setupEvery(scope, state.data),
  });
  // What is known of the project that was looked at before says nothing of this one.
  const setup = read.isPlaceholderData ? undefined : read.data;
  const isStill = useHasNoWorker();
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
        <Loaded query={waiting}>
          {(known) => {
            const lines = waitingLines(known);
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
            <Checklist key={scope} scope={scope} setup={setup} projectKey={projectKey} />
          </Box>
        )}
      </Card>
    </Stack>
  );
}
