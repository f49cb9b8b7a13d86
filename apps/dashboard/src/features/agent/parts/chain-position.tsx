import { Alert, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { numberOf } from "../../../platform/figures.ts";
import { Section } from "../../../ui/section.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";

type Props = { scope: string; found: Answer<"getAgentRun"> };

/** The place of a run in the chain, with the hashes by which it can be computed again. */
export function ChainPosition({ scope, found: { run, place } }: Props) {
  const { chain } = run;
  if (chain === null || place === null)
    return (
      <Section title={words.chain}>
        <Text c="dimmed">{words.noChain}</Text>
      </Section>
    );
  return (
    <Section title={words.chain}>
      <Alert
        color={place.isWhole ? "green" : "red"}
        title={words.headNumber(numberOf(chain.seq))}
        role={place.isWhole ? "status" : "alert"}
      >
        {place.isWhole ? (chain.prevHash === "" ? words.wholeFirst : words.whole) : words.broken}
      </Alert>
      <Group gap="md">
        {place.previousId !== null && (
          <To scope={scope} path={`agent/runs/${place.previousId}`}>
            {words.previous}
          </To>
        )}
        {place.nextId !== null && (
          <To scope={scope} path={`agent/runs/${place.nextId}`}>
            {words.following}
          </To>
        )}
      </Group>
      <Stack gap={4}>
        <Text size="sm">{words.hash}</Text>
        <Copied text={chain.hash} label={words.hash} />
      </Stack>
      {chain.prevHash === "" ? (
        <Text size="sm">{words.first}</Text>
      ) : (
        <Stack gap={4}>
          <Text size="sm">{words.prevHash}</Text>
          <Copied text={chain.prevHash} label={words.prevHash} />
        </Stack>
      )}
    </Section>
  );
}
