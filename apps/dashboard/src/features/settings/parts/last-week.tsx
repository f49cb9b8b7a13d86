import { Button, Stack, Text, Title } from "@mantine/core";
import type { Input } from "@tidings/client";
import { useState } from "react";
import { useOperation } from "../../../platform/operations.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { type Drafts, lastWeekSentences, typedTiming } from "../rules.ts";
import { words } from "../words.ts";

type Typed = Input<"previewTiming">["body"]["settings"];

/** The answer for settings as they were typed when a person wanted to know. */
function Answer({ scope, typed }: { scope: string; typed: Typed }) {
  const found = useOperation(
    scope,
    "previewTiming",
    { body: { settings: typed } },
    // It reads the messages of a week.
    { refetchInterval: false },
  );
  return (
    <Loaded query={found}>
      {(counts) => (
        <Stack gap={4} role="status">
          {lastWeekSentences(counts).map((sentence) => (
            <Text key={sentence}>{sentence}</Text>
          ))}
        </Stack>
      )}
    </Loaded>
  );
}

/** What the settings as they are typed, saved or not, would have had wait in the last week; counted once a person wants it. */
export function LastWeek({ scope, drafts }: { scope: string; drafts: Drafts }) {
  const typed = typedTiming(drafts);
  const now = JSON.stringify(typed);
  const [answered, setAnswered] = useState<string | null>(null);
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={3} size="h5">
        {words.lastWeek.title}
      </Title>
      <Text size="sm" c="dimmed" maw="44rem">
        {words.lastWeek.about}
      </Text>
      {answered === now ? (
        <Answer key={now} scope={scope} typed={typed} />
      ) : (
        <Button variant="default" size="xs" onClick={() => setAnswered(now)}>
          {words.lastWeek.count}
        </Button>
      )}
    </Stack>
  );
}
