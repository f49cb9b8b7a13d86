import { Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { words } from "../words.ts";

type Subscription = Answer<"getUserSubscriptions">["subscriptions"]["topics"][number];
type Channel = "email" | "push";
type Choose = (topic: string, channel: Channel, wants: "in" | "out") => void;

type OfChoice = {
  scope: string;
  subscription: Subscription;
  channel: Channel;
  choose: Choose;
  isPending: boolean;
};

/** Whether a user gets a topic one way, since when, and the button that writes the other choice. */
function Choice({ scope, subscription, channel, choose, isPending }: OfChoice) {
  const chosen = subscription[channel];
  if (chosen === null) return words.noAddressForTopics;
  const other = chosen.wants === "in" ? "out" : "in";
  return (
    <Group gap="xs">
      <Text size="sm">
        {words.wants[chosen.wants]}
        {chosen.chosenAt !== null && `, ${words.since(timeOf(chosen.chosenAt))}`}
      </Text>
      <RoleButton
        scope={scope}
        needs={"editor" as const}
        variant="default"
        size="xs"
        aria-label={words.chooseFor(words.choose[other], subscription.name, words.ways[channel])}
        disabled={isPending}
        onClick={() => choose(subscription.topic, channel, other)}
      >
        {words.choose[other]}
      </RoleButton>
    </Group>
  );
}

/** Which topics a user gets, by email and by push. */
export function UserTopics({ scope, id }: { scope: string; id: string }) {
  const found = useOperation(scope, "getUserSubscriptions", { path: { id } }, { refetchInterval: false });
  const changing = useChange(scope, "putUserSubscriptions", ["getUserSubscriptions", "listConsents"]);
  const choose: Choose = (topic, channel, wants) =>
    changing.mutate({ path: { id }, body: { choices: [{ topic, channel, wants }] } });
  return (
    <Loaded query={found}>
      {({ subscriptions: { stopped, topics } }) =>
        topics.length === 0 ? (
          <Empty title={words.noTopics} about={words.noTopicsAbout} filtered={null} />
        ) : (
          <Stack>
            {stopped && <Text>{words.stoppedAnyway}</Text>}
            <Rows
              heads={[words.topic, words.byEmail, words.byPush]}
              rows={topics.map((subscription) => ({
                id: subscription.topicId,
                cells: [
                  subscription.name,
                  ...(["email", "push"] as const).map((channel) => (
                    <Choice
                      key={channel}
                      scope={scope}
                      subscription={subscription}
                      channel={channel}
                      choose={choose}
                      isPending={changing.isPending}
                    />
                  )),
                ],
              }))}
            />
            {changing.error !== null && <Problem error={changing.error} />}
          </Stack>
        )
      }
    </Loaded>
  );
}
