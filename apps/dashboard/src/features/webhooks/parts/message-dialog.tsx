import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { exactTimeOf } from "../../../platform/times.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { Problem } from "../../../ui/problem.tsx";
import { hasEnded, lookAgainMs, type Webhook, type WebhookMessage } from "../rules.ts";
import { MESSAGE_READS } from "../stale.ts";
import { happeningText } from "../texts.ts";
import { words } from "../words.ts";
import { Attempts } from "./attempts.tsx";
import { SendAgain } from "./send-again.tsx";

type OfMessage = { webhook: Webhook; message: WebhookMessage };

/** When a message happened, ended, or is tried next, each with what it is called. */
function factsOf({ webhook, message }: OfMessage): (readonly [string, string])[] {
  const { happenedAt, state, dueAt, endedAt, replayedAt } = message;
  const { happened, ended, due, replayed } = words.messageAbout;
  const facts: [string, number | null][] = [
    [happened, happenedAt],
    [ended, state === "given_up" ? null : endedAt],
    [words.messageAbout.givenUp, state === "given_up" ? endedAt : null],
    [due, state === "waiting" && webhook.state === "on" ? dueAt : null],
    [replayed, replayedAt],
  ];
  return facts.flatMap(([name, at]) => (at === null ? [] : [[name, exactTimeOf(at)] as const]));
}

/** What stands in the way of a message, or what is missing before it; null where nothing is. */
function remarkOn({ webhook, message: { state, dueAt, gapBefore } }: OfMessage): string | null {
  const { off, behind, gap } = words.messageAbout;
  if (state === "waiting" && webhook.state === "off") return off;
  if (state === "waiting" && dueAt === null) return behind;
  return gapBefore ? gap : null;
}

function MessageFacts({ webhook, message }: OfMessage) {
  const remark = remarkOn({ webhook, message });
  return (
    <>
      <Group gap="xs">
        <Badge variant="default">{words.states[message.state]}</Badge>
        <Text size="sm" c="dimmed">
          {message.type}
        </Text>
      </Group>
      {remark !== null && <Text size="sm">{remark}</Text>}
      <Stack gap={2}>
        {factsOf({ webhook, message }).map(([name, time]) => (
          <Text key={name} size="sm">
            {words.fact(name, time)}
          </Text>
        ))}
        <Text size="sm" className={long.long}>
          {words.fact(words.messageAbout.id, message.id)}
        </Text>
      </Stack>
    </>
  );
}

type Props = { scope: string; webhook: Webhook; messageId: string | undefined; close: () => void };

function OpenMessage({ scope, webhook, messageId, close }: Props & { messageId: string }) {
  const found = useOperation(
    scope,
    "getWebhookMessage",
    { path: { id: webhook.id, messageId } },
    {
      refetchInterval: ({ state: { data } }) => lookAgainMs(data === undefined || !hasEnded(data.message)),
    },
  );
  const replaying = useChange(scope, "replayWebhookMessages", MESSAGE_READS);
  const message = found.data?.message;
  return (
    <Dialog opened close={close} title={message === undefined ? words.messages : happeningText(message.type)}>
      <Stack>
        <Loaded query={found}>
          {(known) => (
            <Stack>
              <MessageFacts webhook={webhook} message={known.message} />
              <Title order={3} size="h5">
                {words.attemptsOf}
              </Title>
              <Attempts attempts={known.attempts} />
            </Stack>
          )}
        </Loaded>
        {replaying.error !== null && <Problem error={replaying.error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            {words.close}
          </Button>
          {message !== undefined && (
            <SendAgain scope={scope} webhookId={webhook.id} message={message} replaying={replaying} />
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

/** A message with its attempts, which the address names. */
export const MessageDialog = ({ messageId, ...props }: Props) =>
  messageId !== undefined && <OpenMessage key={messageId} messageId={messageId} {...props} />;
