import { Anchor, Stack, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Answer } from "@tidings/client";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Rows } from "../../ui/lists/rows.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { valueText } from "../../ui/texts/value-text.ts";
import { useUserName } from "../../ui/user/names.ts";
import { shortId } from "../../ui/user/short-id.pure.ts";
import { isOfUnknownUser, UnknownUser } from "../../ui/user/unknown-user.tsx";
import { Views } from "../../ui/views.tsx";
import { Erase } from "./parts/erase.tsx";
import { Events } from "./parts/events.tsx";
import { Segments } from "./parts/segments.tsx";
import { Timeline } from "./parts/timeline.tsx";
import { UserMessages } from "./parts/user-messages.tsx";
import { UserReach } from "./parts/user-reach.tsx";
import { UserTopics } from "./parts/user-topics.tsx";
import { WhyNot } from "./parts/why-not.tsx";
import type { User } from "./rules.ts";
import { words } from "./words.ts";

function Known({ user: { traits } }: { user: User }) {
  const known = Object.entries(traits);
  return (
    <Stack gap="xs">
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
                {valueText(value)}
              </Text>,
            ],
          }))}
        />
      )}
    </Stack>
  );
}

/** That this is a visitor, or who was one until they signed in. */
function Visited({ user, identities }: Pick<Answer<"getUser">, "user" | "identities">) {
  const [latest] = identities;
  if (user.isVisitor) return <Text size="sm">{words.isVisitor}</Text>;
  if (latest === undefined) return null;
  const until = timeOf(latest.linkedAt);
  return (
    <Text size="sm">
      {identities.length === 1 ? words.wasVisitor(until) : words.wereVisitors(identities.length, until)}
    </Text>
  );
}

function Parts({ scope, user: { id, externalUserId } }: { scope: string; user: User }) {
  const { views } = words;
  return (
    <div>
      <Views
        label={words.sections}
        views={[
          { name: "timeline", label: views.timeline, content: <Timeline scope={scope} id={id} /> },
          { name: "events", label: views.events, content: <Events scope={scope} id={id} /> },
          {
            name: "messages",
            label: views.messages,
            content: <UserMessages scope={scope} id={id} externalUserId={externalUserId} />,
          },
          { name: "segments", label: views.segments, content: <Segments scope={scope} id={id} /> },
          { name: "topics", label: views.topics, content: <UserTopics scope={scope} id={id} /> },
          { name: "why", label: views.why, content: <WhyNot scope={scope} id={id} /> },
        ]}
      />
      <Text size="sm" c="dimmed" mt="md">
        {timesOf()}
      </Text>
    </div>
  );
}

export function UserPage({ scope }: { scope: string }) {
  const id = useNamed("userId");
  const found = useOperation(scope, "getUser", { path: { id } });
  const user = found.data?.user;
  const name = useUserName(scope, user?.id ?? "");
  const navigate = useNavigate();
  if (isOfUnknownUser(found.error, "id"))
    return (
      <Page title={words.unknown}>
        <Anchor component={Link} to={`/p/${scope}/users`} size="sm">
          {words.back}
        </Anchor>
        <UnknownUser
          scope={scope}
          typed={id}
          choose={(chosen) => void navigate({ to: `/p/${scope}/users/${chosen.id}` })}
        />
      </Page>
    );
  return (
    <Page
      {...(user !== undefined && { title: name ?? shortId(user.externalUserId) })}
      actions={user && <Erase key={user.id} scope={scope} user={user} />}
    >
      <Anchor component={Link} to={`/p/${scope}/users`} size="sm">
        {words.back}
      </Anchor>
      <Loaded query={found}>
        {({ user: known, identities }) => (
          <Stack>
            <Visited user={known} identities={identities} />
            <UserReach scope={scope} user={known} />
            <Known user={known} />
            <Parts key={known.id} scope={scope} user={known} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
