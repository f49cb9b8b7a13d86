import { Alert, Button, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useState } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf } from "../../../platform/times.ts";
import { Copied } from "../../../ui/copied.tsx";
import { Figure } from "../../../ui/figure.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";

type Verified = Answer<"verifyAgentRuns">;

function Found({ scope, of: { firstBreak, at } }: { scope: string; of: Verified }) {
  if (firstBreak === null)
    return (
      <Alert color="green" title={words.verified} role="status">
        {words.computedAt(timeWithSecondsOf(at))}
      </Alert>
    );
  const { seq, runId, fault } = firstBreak;
  const place = seq === null || runId === null ? words.breakEnd : words.breakNumber(numberOf(seq));
  return (
    <Alert color="red" title={words.found} role="alert">
      <Stack gap="xs">
        <Text size="sm">{words.breakAt(place, fault)}</Text>
        {runId !== null && (
          <To scope={scope} path={`agent/runs/${runId}`}>
            {runId}
          </To>
        )}
      </Stack>
    </Alert>
  );
}

function Head({ of: { runs, transcripts, headSeq, headHash } }: { of: Verified }) {
  if (headHash === "") return <Text>{words.emptyChain}</Text>;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw="30rem">
        <Figure label={words.runs} value={runs} />
        <Figure label={words.transcripts} value={transcripts} />
      </SimpleGrid>
      <Text fw={600}>{`${words.head}. ${words.headNumber(numberOf(headSeq))}`}</Text>
      <Copied text={headHash} label={words.head} />
      <Text size="sm" c="dimmed" maw="44rem">
        {words.headAbout}
      </Text>
    </>
  );
}

/** Computes the hashes of all runs again, when a person asks for it. */
export function ChainCheck({ scope }: { scope: string }) {
  const [isAsked, setAsked] = useState(false);
  const verified = useOperation(scope, "verifyAgentRuns", undefined, {
    enabled: isAsked,
    refetchInterval: false,
  });
  const verify = (): void => {
    if (isAsked) void verified.refetch();
    setAsked(true);
  };
  return (
    <Section title={words.verifyTitle}>
      <Text c="dimmed" maw="44rem">
        {words.verifyAbout}
      </Text>
      <div>
        <Button onClick={verify} loading={verified.isFetching}>
          {isAsked ? words.verifyAgain : words.verify}
        </Button>
      </div>
      {isAsked && (
        <Loaded of={verified}>
          {(found) => (
            <Stack gap="sm">
              <Found scope={scope} of={found} />
              <Head of={found} />
            </Stack>
          )}
        </Loaded>
      )}
    </Section>
  );
}
