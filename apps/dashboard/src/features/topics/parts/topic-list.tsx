import { Badge, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { timesOf } from "../../../ui/texts/times-of.ts";
import type { Topic } from "../rules.ts";
import { words } from "../words.ts";
import { ArchiveTopic } from "./archive-topic.tsx";
import { ChangeTopic } from "./change-topic.tsx";

const Name = ({ topic: { name, description, status } }: { topic: Topic }) => (
  <Stack gap={2}>
    <Group gap="xs">
      <Text size="sm" fw={600} className={classes.long}>
        {name}
      </Text>
      {status === "archived" && <Badge variant="default">{words.archived}</Badge>}
    </Group>
    {description !== "" && (
      <Text size="sm" className={classes.long}>
        {description}
      </Text>
    )}
  </Stack>
);

/** The topics of a project, by name. */
export function TopicList({ scope }: { scope: string }) {
  const [changed, setChanged] = useState<Topic | null>(null);
  const found = useOperation(scope, "listTopics", {});
  const cellsOf = (topic: Topic) => [
    <Name key="name" topic={topic} />,
    <Text key="key" size="sm" className={classes.long}>
      {topic.key}
    </Text>,
    words.defaults[topic.isDefault],
    topic.doubleOptIn ? words.doubleOptIn : words.singleOptIn,
    topic.max === null || topic.days === null ? words.noLimit : words.limitOf(topic.max, topic.days),
    timeOf(topic.updatedAt),
    <Group key="actions" gap="xs">
      <RoleButton
        scope={scope}
        needs={"editor" as const}
        variant="default"
        size="xs"
        onClick={() => setChanged(topic)}
      >
        {words.edit}
      </RoleButton>
      <ArchiveTopic scope={scope} topic={topic} />
    </Group>,
  ];
  return (
    <Loaded query={found}>
      {({ topics }) =>
        topics.length === 0 ? (
          <Empty title={words.none} about={words.noneAbout} filtered={null} />
        ) : (
          <Stack>
            <Rows
              heads={[
                words.topic,
                words.key,
                words.readers,
                words.joining,
                words.limit,
                words.changed,
                words.actions,
              ]}
              rows={topics.map((topic) => ({ id: topic.id, cells: cellsOf(topic) }))}
            />
            <Text size="sm" c="dimmed">
              {timesOf()}
            </Text>
            {changed !== null && <ChangeTopic scope={scope} topic={changed} close={() => setChanged(null)} />}
          </Stack>
        )
      }
    </Loaded>
  );
}
