import { Anchor, Badge, Code, Group, Stack, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import { numberOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf, zoneName } from "../../platform/times.ts";
import { CountedAudience } from "../../ui/audience/counted.tsx";
import { WithCampaigns } from "../../ui/campaigns/campaign-names.ts";
import { CampaignsOf } from "../../ui/campaigns/campaigns-of.tsx";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { Copied } from "../../ui/texts/copied.tsx";
import { Views } from "../../ui/views.tsx";
import { Archive } from "./parts/archive.tsx";
import { Members } from "./parts/members.tsx";
import { TraceOf } from "./parts/trace.tsx";
import { Versions } from "./parts/versions.tsx";
import { expressionJson, type Segment } from "./rules.ts";
import { words } from "./words.ts";

type OfSegment = { scope: string; segment: Segment };

function Facts({ segment }: { segment: Segment }) {
  const { key, status, currentVersion, updatedAt, description } = segment;
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Badge variant={status === "active" ? "light" : "default"}>{words.statuses[status]}</Badge>
        <Code className={classes.long}>{key}</Code>
        <Text size="sm" c="dimmed">
          {words.state(numberOf(currentVersion), timeOf(updatedAt), zoneName())}
        </Text>
      </Group>
      {description !== null && description !== "" && (
        <Text size="sm" className={classes.long}>
          {description}
        </Text>
      )}
    </Stack>
  );
}

/** The users that are in it, in words and exactly counted, and condition by condition where there are several. */
const Membership = ({ scope, segment: { id, currentVersion, summary, expression } }: OfSegment) => (
  <Stack gap="xs">
    <Text fw={600} className={classes.long}>
      <WithCampaigns scope={scope} text={summary ?? ""} />
    </Text>
    <CountedAudience
      scope={scope}
      expression={expression}
      question={{ segment: id, version: currentVersion }}
    />
  </Stack>
);

function Campaigns({ scope, segment: { id, currentVersion } }: OfSegment) {
  const version = (pinned: number): string =>
    pinned === currentVersion
      ? numberOf(pinned)
      : words.pinnedOld(numberOf(pinned), numberOf(currentVersion));
  return (
    <CampaignsOf
      scope={scope}
      filter={{ segmentId: id }}
      more={{
        head: words.pinned,
        cell: ({ audience }) => (audience.kind === "segment" ? version(audience.segmentVersion) : null),
      }}
      empty={<Text>{words.noCampaigns}</Text>}
    />
  );
}

function Parts({ scope, segment }: OfSegment) {
  const { views } = words;
  const json = (
    <Stack gap="xs">
      <Text c="dimmed">{words.jsonAbout}</Text>
      <Copied text={expressionJson(segment.expression)} label={words.jsonLabel} />
    </Stack>
  );
  return (
    <Views
      label={words.sections}
      views={[
        {
          name: "versions",
          label: views.versions,
          content: <Versions scope={scope} segment={segment} />,
        },
        { name: "members", label: views.members, content: <Members scope={scope} segment={segment} /> },
        { name: "campaigns", label: views.campaigns, content: <Campaigns scope={scope} segment={segment} /> },
        { name: "user", label: views.trace, content: <TraceOf scope={scope} segment={segment} /> },
        { name: "json", label: views.json, content: json },
      ]}
    />
  );
}

function Actions({ scope, segment }: OfSegment) {
  const navigate = useNavigate();
  return (
    <Group gap="xs">
      <RoleButton
        scope={scope}
        needs={"editor" as const}
        onClick={() => void navigate({ to: `/p/${scope}/segments/${segment.id}/edit` })}
      >
        {words.edit}
      </RoleButton>
      {segment.status === "active" && <Archive scope={scope} segment={segment} />}
    </Group>
  );
}

export function SegmentPage({ scope }: { scope: string }) {
  const id = useNamed("segmentId");
  const found = useOperation(scope, "getSegment", { path: { id } });
  const segment = found.data?.segment;
  return (
    <Page
      {...(segment !== undefined && { title: segment.name })}
      actions={segment && <Actions key={segment.id} scope={scope} segment={segment} />}
    >
      <Anchor component={Link} to={`/p/${scope}/segments`} size="sm">
        {words.back}
      </Anchor>
      <Loaded query={found}>
        {({ segment: known }) => (
          <Stack key={known.id} gap="lg">
            <Facts segment={known} />
            <Membership scope={scope} segment={known} />
            <Parts scope={scope} segment={known} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
