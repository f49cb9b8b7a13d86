import { Anchor, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Answer } from "@tidings/client";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { UserName } from "../../../ui/user/user-name.tsx";
import { words } from "../words.ts";

type Item = Answer<"listActivity">["items"][number];

function ItemText({ scope, item }: { scope: string; item: Item }) {
  if (item.kind === "user") return <Text size="sm">{words.seenFirst}</Text>;
  return (
    <Text size="sm" className={classes.long ?? ""}>
      {words.queued}{" "}
      <Anchor component={Link} to={`/p/${scope}/campaigns/${item.campaign.id}`} size="sm" underline="always">
        {item.campaign.name}
      </Anchor>
    </Text>
  );
}

/** Erased users have no id of their own any more. */
function ItemUser({ scope, user: { externalUserId } }: { scope: string; user: Item["user"] }) {
  if (externalUserId === "") return <Text size="sm">{words.gone}</Text>;
  return <UserName scope={scope} userId={externalUserId} size="sm" />;
}

/** The users that came, and what was queued for whom, newest first. */
export function ProjectActivity({ scope }: { scope: string }) {
  const activity = useOperation(scope, "listActivity");
  return (
    <Stack component="section" gap="xs" aria-labelledby="activity">
      <Title order={2} size="h4" id="activity">
        {words.activity}
      </Title>
      <Loaded query={activity}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">{words.noActivity}</Text>
          ) : (
            <Rows
              heads={[words.when, words.user, words.what]}
              rows={items.map((item) => ({
                id: `${item.kind} ${item.id}`,
                cells: [
                  timeOf(item.occurredAt),
                  // On a phone a cell begins with the head of its column: a link in it has a line of its own.
                  <div key="user">
                    <ItemUser scope={scope} user={item.user} />
                  </div>,
                  <div key="what">
                    <ItemText scope={scope} item={item} />
                  </div>,
                ],
              }))}
            />
          )
        }
      </Loaded>
    </Stack>
  );
}
