import { Alert, Button, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useState } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeWithSecondsOf } from "../../../platform/times.ts";
import { Figure } from "../../../ui/charts/figure.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Section } from "../../../ui/section.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";

type Verified = Answer<"verifyAgentRuns">;

function Found({ scope, verified: { firstBreak, at } }: { scope: string; verified: Verified }) {
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

function Head({ verified: { runs, transcripts, headSeq, headHash } }: { verified: Verified }) {
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
  const [isRequested, setRequested] = useState(false);
  const verified = useOperation(scope, "verifyAgentRuns", undefined, {
    enabled: isRequested,
    refetchInterval: false,
  });
  const verify = (): void => {
    if (isRequested) void verified.refetch();
    setRequested(true);
  };
  return (
    <Section title={words.verifyTitle}>
      <Text c="dimmed" maw="44rem">
        {words.verifyAbout}
      </Text>
      <div>
        <Button onClick={verify} loading={verified.isFetching}>
          {isRequested ? words.verifyAgain : words.verify}
        </Button>
      </div>
      {isRequested && (
        <Loaded query={verified}>
          {(found) => (
            <Stack gap="sm">
              <Found scope={scope} verified={found} />
              <Head verified={found} />
            </Stack>
          )}
        </Loaded>
      )}
    </Section>
  );
}
