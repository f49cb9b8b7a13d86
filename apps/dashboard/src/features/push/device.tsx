import { Alert, Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { pageIn, useAddress, useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { To } from "../../ui/to.tsx";
import { UserName } from "../../ui/user/user-name.tsx";
import { words as ui } from "../../ui/words.ts";
import { SlotsOf } from "./parts/slots.tsx";
import { StepsOf } from "./parts/steps.tsx";
import { describePushReason, describeWay, type InstallationStory, waitsForCredential } from "./rules.ts";
import { words } from "./words.ts";

const PER_PAGE = 50;

function Facts({ scope, installation }: Pick<InstallationStory, "installation"> & { scope: string }) {
  const { appId, userId, hasToken, permission, consent, lastActiveAt, createdAt } = installation;
  const facts = [
    `${words.permission}: ${words.permissions[permission]}`,
    `${words.consent}: ${words.consents[consent ? "true" : "false"]}`,
    `${words.token}: ${words.tokens[hasToken ? "true" : "false"]}`,
    `${words.lastActive}: ${lastActiveAt === null ? ui.never : timeOf(lastActiveAt)}`,
    `${words.registered}: ${timeOf(createdAt)}`,
  ];
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm">{words.user}</Text>
        {userId === null ? (
          <Text size="sm">{words.noUser}</Text>
        ) : (
          <UserName scope={scope} userId={userId} fw={600} />
        )}
      </Group>
      <Text size="sm" className={classes.long}>
        {`${appId}, ${describeWay(installation)}`}
      </Text>
      <Text size="sm" c="dimmed">
        {facts.join(" · ")}
      </Text>
    </Stack>
  );
}

function Reach({ story }: { story: InstallationStory }) {
  const { fault, installation } = story;
  if (waitsForCredential(story))
    return (
      <Alert title={words.pushesWait} color="red">
        {installation.platform === "web" ? words.pushesWaitWeb : words.pushesWaitAbout}
      </Alert>
    );
  return (
    <Alert title={fault === null ? words.noFault : words.fault} {...(fault !== null && { color: "red" })}>
      {fault === null ? words.noFaultAbout : words.deviceReasons[fault]}
    </Alert>
  );
}

function WaitingFor({ scope, waiting }: Pick<InstallationStory, "waiting"> & { scope: string }) {
  return (
    <Section title={words.waitingFor}>
      {waiting.map(({ campaignId, campaignName, reason }) => (
        <Text key={campaignId} size="sm" className={classes.long}>
          <Anchor component={Link} to={`/p/${scope}/push/campaigns/${campaignId}`}>
            {campaignName}
          </Anchor>
          {`: ${describePushReason(reason)}`}
        </Text>
      ))}
    </Section>
  );
}

export function DevicePage({ scope }: { scope: string }) {
  const id = useNamed("installationId");
  const [address] = useAddress();
  const found = useOperation(scope, "getInstallationStory", {
    path: { id },
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Page title={id}>
      <To scope={scope} path="push" search={{ view: "devices" }}>
        {words.backToPush}
      </To>
      <Loaded query={found}>
        {(story) => (
          <Stack gap="xl">
            <Facts scope={scope} installation={story.installation} />
            <Reach story={story} />
            {story.waiting.length > 0 && <WaitingFor scope={scope} waiting={story.waiting} />}
            <Section title={words.pushes}>
              <SlotsOf scope={scope} slots={story.slots} platform={story.installation.platform} />
            </Section>
            <Section title={words.story}>
              <StepsOf scope={scope} story={story} />
            </Section>
            <Text size="sm" c="dimmed">
              {`${words.acceptedAbout} ${timesOf()}`}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
