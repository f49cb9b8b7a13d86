import { Accordion, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { JsonBlock } from "../../../ui/json.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { exchangeOf, type RunTranscriptEntry } from "../rules.ts";
import { words } from "../words.ts";

type Said = ReturnType<typeof exchangeOf>["asked"];

const SaidBy = ({ of, as }: { of: Said; as: string }) =>
  of === null ? null : (
    <div>
      <Text size="sm" c="dimmed">{`${as}: ${words.roles[of.role] ?? of.role}`}</Text>
      <Text size="sm" className={long.long} style={{ whiteSpace: "pre-wrap" }}>
        {of.text}
      </Text>
    </div>
  );

function Exchange({ entry, number }: { entry: RunTranscriptEntry; number: string }) {
  const { asked, answered } = exchangeOf(entry);
  return (
    <Accordion.Item value={number}>
      <Accordion.Control>{words.exchange(number)}</Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          <SaidBy of={asked} as={words.asked} />
          <SaidBy of={answered} as={words.answered} />
          <Text size="sm" fw={600}>
            {words.raw}
          </Text>
          <JsonBlock value={{ request: entry.request, response: entry.response }} label={words.raw} />
          <Text size="xs" c="dimmed" className={long.long}>
            {`${words.entryHash}: ${entry.hash}`}
          </Text>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

/** What a model was asked and answered for a run. It may be long, so it comes when a person asks for it. */
export function RunTranscript({ scope, runId }: { scope: string; runId: string }) {
  const [isAsked, setAsked] = useState(false);
  const transcript = useOperation(
    scope,
    "getAgentRunTranscript",
    { path: { id: runId } },
    { enabled: isAsked, refetchInterval: false },
  );
  return (
    <Section title={words.transcript}>
      {!isAsked && (
        <div>
          <Button variant="default" onClick={() => setAsked(true)}>
            {words.showTranscript}
          </Button>
        </div>
      )}
      {isAsked && (
        <Loaded of={transcript}>
          {({ transcript: { entries } }) => (
            <Accordion variant="contained" multiple keepMounted={false}>
              {entries.map((entry, index) => (
                <Exchange key={entry.hash} entry={entry} number={numberOf(index + 1)} />
              ))}
            </Accordion>
          )}
        </Loaded>
      )}
    </Section>
  );
}
