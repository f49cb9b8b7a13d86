import { Anchor, Stack, Tabs, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAddress, useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf, zoneName } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Rows } from "../../ui/rows.tsx";
import { Erase } from "./parts/erase.tsx";
import { Events } from "./parts/events.tsx";
import { Messages } from "./parts/messages.tsx";
import { Timeline } from "./parts/timeline.tsx";
import { textOf, type User } from "./rules.ts";
import classes from "./users.module.css";
import { words } from "./words.ts";

const VIEWS = ["timeline", "events", "messages"] as const;

function Known({ user: { traits, firstSeenAt, lastSeenAt } }: { user: User }) {
  const known = Object.entries(traits);
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {words.seen(timeOf(firstSeenAt), timeOf(lastSeenAt))}
      </Text>
      {known.length === 0 ? (
        <Text>{words.noTraits}</Text>
      ) : (
        <Rows
          heads={[words.trait, words.value]}
          rows={known.map(([name, value]) => ({
            id: name,
            cells: [
              name,
              <Text key="value" size="sm" className={classes.long}>
                {textOf(value)}
              </Text>,
            ],
          }))}
        />
      )}
    </Stack>
  );
}

function Views({ scope, id }: { scope: string; id: string }) {
  const [{ view = "" }, change] = useAddress();
  const shown = VIEWS.find((each) => each === view) ?? "timeline";
  return (
    <Tabs
      value={shown}
      keepMounted={false}
      onChange={(chosen) => change({ view: chosen === "timeline" ? "" : (chosen ?? ""), page: "" })}
    >
      <Tabs.List aria-label={words.sections} mb="lg">
        {VIEWS.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {words.views[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="timeline">
        <Timeline scope={scope} id={id} />
      </Tabs.Panel>
      <Tabs.Panel value="events">
        <Events scope={scope} id={id} />
      </Tabs.Panel>
      <Tabs.Panel value="messages">
        <Messages scope={scope} id={id} />
      </Tabs.Panel>
      <Text size="sm" c="dimmed" mt="md">
        {words.zone(zoneName())}
      </Text>
    </Tabs>
  );
}

export function UserPage({ scope }: { scope: string }) {
  const id = useNamed("userId");
  const found = useOperation(scope, "getUser", { path: { id } });
  const user = found.data?.user;
  return (
    <Page
      title={user?.externalUserId ?? words.user}
      actions={user && <Erase key={user.id} scope={scope} user={user} />}
    >
      <Anchor component={Link} to={`/p/${scope}/users`} size="sm">
        {words.back}
      </Anchor>
      <Loaded of={found}>
        {({ user: known }) => (
          <Stack>
            <Known user={known} />
            <Views key={known.id} scope={scope} id={known.id} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
