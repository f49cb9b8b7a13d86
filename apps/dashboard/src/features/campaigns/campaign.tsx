import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link, Navigate, useNavigate } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import type { CampaignDetail } from "../../platform/api-types.ts";
import { useOperation } from "../../platform/operations.ts";
import { StatusBadge } from "../../ui/campaigns/campaign-status.tsx";
import { describeTiming } from "../../ui/campaigns/timing-words.ts";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { ReachOf } from "../../ui/reach/reach.tsx";
import { To } from "../../ui/to.tsx";
import { Views } from "../../ui/views.tsx";
import { CampaignActions } from "./parts/actions.tsx";
import { CampaignAudience } from "./parts/campaign-audience.tsx";
import { CampaignMessage } from "./parts/campaign-message.tsx";
import { Deliveries } from "./parts/deliveries.tsx";
import { LaunchByCode } from "./parts/launch-by-code.tsx";
import { OfStep } from "./parts/of-step.tsx";
import { Once } from "./parts/once.tsx";
import { Paused } from "./parts/paused.tsx";
import { ResultsPanel } from "./results/results.tsx";
import { datesOf, pathOf } from "./rules.ts";
import { Why } from "./why/why.tsx";
import { words } from "./words.ts";

type OfCampaign = { scope: string; campaign: CampaignDetail };

/** The ways to the goal, the segment and the topic of a campaign, where it has them. */
function Links({ scope, campaign: { goalId, topicId, audience } }: OfCampaign) {
  const segmentId = audience.kind === "segment" ? audience.segmentId : null;
  const goal = useOperation(scope, "getGoal", { path: { id: goalId ?? "" } }, { enabled: goalId !== null });
  const topics = useOperation(scope, "listTopics", {}, { enabled: topicId !== null });
  const topic = topics.data?.topics.find(({ id }) => id === topicId);
  if (goalId === null && segmentId === null && topicId === null) return null;
  return (
    <Group gap="md">
      {goalId !== null && (
        <To scope={scope} path={`goals/${goalId}`}>
          {words.ofGoal(goal.data?.goal.name ?? null)}
        </To>
      )}
      {segmentId !== null && (
        <To scope={scope} path={`segments/${segmentId}`}>
          {words.segment}
        </To>
      )}
      {topicId !== null && (
        <To scope={scope} path="topics">
          {words.ofTopic(topic?.name ?? null)}
        </To>
      )}
    </Group>
  );
}

/** Whether anybody may get a message of it yet: an end is for good. */
const isStillToCome = ({ effectiveStatus }: CampaignDetail): boolean =>
  effectiveStatus !== "ended" && effectiveStatus !== "expired";

function Facts({ scope, campaign }: OfCampaign) {
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <StatusBadge status={campaign.effectiveStatus} />
        <Text size="sm">{words.channels[campaign.channel]}</Text>
        <Text size="sm" c="dimmed">
          {datesOf(campaign).join(", ")}
        </Text>
      </Group>
      <Paused scope={scope} campaign={campaign} />
      {campaign.journeyStep === null ? (
        <Once scope={scope} campaign={campaign} />
      ) : (
        <OfStep scope={scope} step={campaign.journeyStep} />
      )}
      {isStillToCome(campaign) && campaign.channel !== "web_inapp" && (
        <Text size="sm">{describeTiming(campaign)}</Text>
      )}
      {isStillToCome(campaign) && <ReachOf scope={scope} channel={campaign.channel} />}
      {campaign.journeyStep === null && (
        <CampaignAudience key={campaign.id} scope={scope} campaign={campaign} />
      )}
      <Links scope={scope} campaign={campaign} />
      {campaign.status === "draft" && campaign.sourceChanges.changes.length > 0 && (
        <LaunchByCode scope={scope} campaign={campaign} />
      )}
    </Stack>
  );
}

function Parts({ scope, campaign }: OfCampaign) {
  const { views } = words;
  return (
    <Views
      label={words.sections}
      // Before its launch there are no results yet.
      opens={campaign.startedAt === undefined ? "message" : "results"}
      views={[
        {
          name: "message",
          label: views.message,
          content: <CampaignMessage scope={scope} campaign={campaign} />,
        },
        {
          name: "results",
          label: views.results,
          content: <ResultsPanel scope={scope} campaign={campaign} />,
        },
        {
          name: "deliveries",
          label: views.deliveries,
          content: <Deliveries scope={scope} campaign={campaign} />,
        },
        // Users get the message of a step where they come to it: there is nothing else to ask.
        ...(campaign.journeyStep === null
          ? [{ name: "why", label: views.why, content: <Why scope={scope} campaign={campaign} /> }]
          : []),
      ]}
    />
  );
}

function EditButton({ scope, campaign: { id, status } }: OfCampaign) {
  const navigate = useNavigate();
  if (status === "ended") return null;
  return (
    <RoleButton
      scope={scope}
      needs={"editor" as const}
      variant="default"
      onClick={() => void navigate({ to: `/p/${scope}/campaigns/${id}/edit` })}
    >
      {words.edit}
    </RoleButton>
  );
}

/** Where a campaign is listed: at its journey, where it is the message of a step. */
const backOf = (campaign: CampaignDetail | undefined): string =>
  campaign?.journeyStep ? `journeys/${campaign.journeyStep.journeyId}` : "campaigns";

export function CampaignPage({ scope }: { scope: string }) {
  const id = useNamed("campaignId");
  const found = useOperation(scope, "getCampaign", { path: { id } });
  const campaign = found.data?.campaign;
  // What links to a campaign, such as the log, need not know that it is a template.
  if (campaign?.purpose === "transactional" && campaign.id === id)
    return <Navigate to={`/p/${scope}/${pathOf(campaign)}`} replace />;
  return (
    <Page
      {...(campaign !== undefined && { title: campaign.name })}
      actions={
        campaign && (
          <Group gap="xs">
            <EditButton scope={scope} campaign={campaign} />
            <CampaignActions key={id} scope={scope} campaign={campaign} />
          </Group>
        )
      }
    >
      <Anchor component={Link} to={`/p/${scope}/${backOf(campaign)}`} size="sm">
        {campaign?.journeyStep ? words.backToJourney : words.back}
      </Anchor>
      <Loaded query={found}>
        {({ campaign: known }) => (
          <Stack>
            <Facts scope={scope} campaign={known} />
            <Parts key={known.id} scope={scope} campaign={known} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
