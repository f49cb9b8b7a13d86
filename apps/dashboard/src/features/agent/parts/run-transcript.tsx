import { Accordion, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { JsonBlock } from "../../../ui/texts/json.tsx";
import { exchangeOf, type RunTranscriptEntry } from "../rules.ts";
import { words } from "../words.ts";

type Message = ReturnType<typeof exchangeOf>["question"];

const MessageBy = ({ message, label }: { message: Message; label: string }) =>
  message === null ? null : (
    <div>
      <Text size="sm" c="dimmed">{`${label}: ${words.roles[message.role] ?? message.role}`}</Text>
      <Text size="sm" className={long.long} style={{ whiteSpace: "pre-wrap" }}>
        {message.text}
      </Text>
    </div>
  );

function Exchange({ entry, number }: { entry: RunTranscriptEntry; number: string }) {
  const { question, answered } = exchangeOf(entry);
  return (
    <Accordion.Item value={number}>
      <Accordion.Control>{words.exchange(number)}</Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          <MessageBy message={question} label={words.question} />
          <MessageBy message={answered} label={words.answered} />
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
  const [isRequested, setRequested] = useState(false);
  const transcript = useOperation(
    scope,
    "getAgentRunTranscript",
    { path: { id: runId } },
    { enabled: isRequested, refetchInterval: false },
  );
  return (
    <Section title={words.transcript}>
      {!isRequested && (
        <div>
          <Button variant="default" onClick={() => setRequested(true)}>
            {words.showTranscript}
          </Button>
        </div>
      )}
      {isRequested && (
        <Loaded query={transcript}>
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
