import { Badge, Stack, Text } from "@mantine/core";
import { timeOf } from "../../../platform/times.ts";
import { isFaulty, standingOf, type Webhook } from "../rules.ts";
import { words } from "../words.ts";

/** A few words beside the state: since when it fails, or why it is off. */
function besides({ state, offBecause, failingSince }: Webhook): string | null {
  if (state === "off") return offBecause === null ? null : words.offWords[offBecause];
  return failingSince === null ? null : words.failingSince(timeOf(failingSince));
}

/** Whether a webhook is on, fails or is off, as a word; the look only helps to find it. */
export function WebhookBadge({ webhook }: { webhook: Webhook }) {
  const standing = standingOf(webhook);
  const text = besides(webhook);
  const isRed = standing === "failing" || isFaulty(webhook);
  return (
    <Stack gap={2} align="flex-start">
      <Badge variant={isRed ? "filled" : "default"} {...(isRed && { color: "red" })}>
        {words.standings[standing]}
      </Badge>
      {text !== null && (
        <Text size="xs" c="dimmed">
          {text}
        </Text>
      )}
    </Stack>
  );
}
