import { Alert, Stack, Text } from "@mantine/core";
import { timeOf } from "../../../platform/times.ts";
import long from "../../../ui/look/long.module.css";
import { isFaulty, type Webhook } from "../rules.ts";
import { subscriptionText, waitingSentence } from "../texts.ts";
import { words } from "../words.ts";
import { WebhookBadge } from "./webhook-badge.tsx";

/** Why a webhook gets nothing, or not what it should, with what to do; nothing while it works. */
function Trouble({ webhook }: { webhook: Webhook }) {
  const { offBecause, offAt, failingSince, fault } = webhook;
  if (offBecause === null && failingSince === null) return null;
  const since = timeOf(offAt ?? webhook.changedAt);
  const shown = offBecause === null ? words.failing : words.off[offBecause];
  const title =
    typeof shown.title === "string"
      ? shown.title
      : shown.title(offBecause === null && failingSince !== null ? timeOf(failingSince) : since);
  const isRed = offBecause === null || isFaulty(webhook);
  return (
    <Alert color={isRed ? "red" : "gray"} title={title} role="status">
      <Stack gap="xs">
        {fault !== null && (
          <Text size="sm" className={long.long}>
            {words.fault(fault)}
          </Text>
        )}
        <Text size="sm">{shown.about}</Text>
      </Stack>
    </Alert>
  );
}

/** How a webhook is: whether messages arrive, what waits, and what it is about. */
export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { description, types, waiting, succeededAt, formerSecretUntil } = webhook;
  return (
    <Stack gap="xs">
      {description !== null && <Text className={long.long}>{description}</Text>}
      <WebhookBadge webhook={webhook} />
      <Trouble webhook={webhook} />
      <Text size="sm">{words.isAbout(subscriptionText(types))}</Text>
      <Text size="sm">
        {waitingSentence(waiting)}{" "}
        {succeededAt === null ? words.neverSucceeded : words.succeeded(timeOf(succeededAt))}
      </Text>
      {formerSecretUntil !== null && <Text size="sm">{words.formerSigns(timeOf(formerSecretUntil))}</Text>}
    </Stack>
  );
}
