import { Anchor, Badge, Group, Select, Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { exactTimeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Older } from "../../../ui/lists/older.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/look/long.module.css";
import { optionsOf } from "../../../ui/options.ts";
import { Section } from "../../../ui/section.tsx";
import {
  hasEnded,
  lookAgainMs,
  type MessageState,
  messageIdIn,
  stateIn,
  type Webhook,
  type WebhookMessage,
} from "../rules.ts";
import { happeningText } from "../texts.ts";
import { words } from "../words.ts";
import { MessageDialog } from "./message-dialog.tsx";
import { ReplayMessages } from "./replay-messages.tsx";

const PER_PAGE = 25;

const LOOKS: Readonly<Record<MessageState, { variant: string; color?: string }>> = {
  waiting: { variant: "light" },
  sending: { variant: "light" },
  delivered: { variant: "default" },
  given_up: { variant: "filled", color: "red" },
};

/** What a message waits for, or what else is to know of it. */
function besides(isOn: boolean, { state, dueAt, gapBefore, attempts }: WebhookMessage): string | null {
  if (state === "waiting" && !isOn) return words.whileOff;
  if (state === "waiting" && dueAt === null) return words.behind;
  if (state === "waiting" && dueAt !== null && attempts > 0) return words.due(exactTimeOf(dueAt));
  return gapBefore ? words.gap : null;
}

/** What was answered last, and why it does not count. */
function LastAnswer({ last }: Pick<WebhookMessage, "last">) {
  if (last === null) return words.notTried;
  return (
    <Stack gap={2}>
      <Text size="sm">{last.status === null ? words.noAnswer : words.answered(last.status)}</Text>
      {last.status === null && last.fault !== null && (
        <Text size="xs" c="dimmed" className={long.long}>
          {last.fault}
        </Text>
      )}
    </Stack>
  );
}

function cellsOf(isOn: boolean, message: WebhookMessage, open: (id: string) => void) {
  const { id, type, happenedAt, state, attempts, last } = message;
  const text = besides(isOn, message);
  return [
    <Stack key="type" gap={2} align="flex-start">
      <Anchor
        component="button"
        type="button"
        ta="start"
        fw={600}
        size="sm"
        aria-haspopup="dialog"
        aria-label={words.openOf(happeningText(type), exactTimeOf(happenedAt))}
        onClick={() => open(id)}
      >
        {happeningText(type)}
      </Anchor>
      <Text size="xs" c="dimmed">
        {type}
      </Text>
    </Stack>,
    <Text key="when" size="sm" style={{ whiteSpace: "nowrap" }}>
      {exactTimeOf(happenedAt)}
    </Text>,
    <Stack key="state" gap={2} align="flex-start">
      <Badge {...LOOKS[state]}>{words.states[state]}</Badge>
      {text !== null && (
        <Text size="xs" c="dimmed">
          {text}
        </Text>
      )}
    </Stack>,
    numberOf(attempts),
    <LastAnswer key="last" last={last} />,
  ];
}

/** Which messages are shown, and what can be done about those that were given up. */
function MessageFilters({ scope, webhook }: { scope: string; webhook: Webhook }) {
  const [address, change] = useAddress();
  return (
    <Group align="flex-end" justify="space-between">
      <Select
        label={words.state}
        data={[{ value: "", label: words.anyState }, ...optionsOf(words.states)]}
        value={stateIn(address) ?? ""}
        allowDeselect={false}
        onChange={(chosen) => change({ state: chosen ?? "", before: "" })}
      />
      <ReplayMessages scope={scope} webhook={webhook} />
    </Group>
  );
}

/** What was sent to a webhook, or waits to be, the newest first. */
export function Messages({ scope, webhook }: { scope: string; webhook: Webhook }) {
  const [address, change] = useAddress();
  const [state, before] = [stateIn(address), messageIdIn(address, "before")];
  const query = { limit: PER_PAGE, ...(state && { state }), ...(before !== undefined && { before }) };
  const found = useOperation(
    scope,
    "listWebhookMessages",
    { path: { id: webhook.id }, query },
    {
      refetchInterval: ({ state: { data } }) =>
        lookAgainMs(webhook.state === "on" && (data?.messages ?? []).some((each) => !hasEnded(each))),
    },
  );
  const isFiltered = state !== undefined || before !== undefined;
  return (
    <Section title={words.messages} about={words.messagesAbout}>
      <MessageFilters scope={scope} webhook={webhook} />
      <Loaded query={found}>
        {({ messages, next }) =>
          messages.length === 0 ? (
            <Empty
              title={words.noMessages}
              about={words.noMessagesAbout}
              filtered={
                isFiltered ? { title: words.noMatch, clear: () => change({ state: "", before: "" }) } : null
              }
            />
          ) : (
            <Stack>
              <Rows
                heads={[words.type, words.when, words.state, words.attempts, words.lastAnswer]}
                rows={messages.map((message) => ({
                  id: message.id,
                  cells: cellsOf(webhook.state === "on", message, (id) => change({ message: id })),
                }))}
              />
              <Older next={next} />
            </Stack>
          )
        }
      </Loaded>
      <MessageDialog
        scope={scope}
        webhook={webhook}
        messageId={messageIdIn(address, "message")}
        close={() => change({ message: "" })}
      />
    </Section>
  );
}
