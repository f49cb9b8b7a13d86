import { Alert, Badge, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useNamed } from "../../platform/address.ts";
import type { CampaignDetail } from "../../platform/api-types.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { LaunchMode } from "../../ui/activation/launch-mode.tsx";
import type { Activation } from "../../ui/activation/rules.ts";
import { words as shared } from "../../ui/activation/words.ts";
import { WithCampaigns } from "../../ui/campaigns/campaign-names.ts";
import { describeOnce, onceWords } from "../../ui/campaigns/once-words.ts";
import { Loaded } from "../../ui/loaded.tsx";
import long from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { ReachOf } from "../../ui/reach/reach.tsx";
import { Section } from "../../ui/section.tsx";
import { Copied } from "../../ui/texts/copied.tsx";
import { To } from "../../ui/to.tsx";
import { ActivationActions } from "./parts/activation-actions.tsx";
import { AnnouncedChanges, LaunchSummary, WaitsFor } from "./parts/activation-facts.tsx";
import { LaunchedFindings } from "./parts/findings.tsx";
import { LaunchedMessages } from "./parts/messages.tsx";
import { words } from "./words.ts";

type Decided = Answer<"getActivationApproval">;
type Props = { scope: string; campaign: CampaignDetail; activation: Activation; decided: Decided };

function Facts({ scope, campaign, activation: { approval, approvedAsIs, assessment }, decided }: Props) {
  const { approvedBy, approvedAt } = decided;
  const stands = approval === "approved";
  // It says who changed it, and when.
  const why = assessment.blockers.find(({ code }) => code === "approval")?.detail ?? words.changedSince;
  const isWaiting = approval !== "unavailable";
  const summary = "summary" in campaign.audience ? campaign.audience.summary : null;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        {isWaiting && (
          <Badge variant={stands ? "filled" : "outline"}>
            {stands ? words.allowed : approvedBy === null ? words.notAllowed : words.notAsAllowed}
          </Badge>
        )}
        {approvedBy !== null && approvedAt !== null && (
          <Text size="sm" c="dimmed">
            {words.allowedAt(approvedBy, timeOf(approvedAt))}
          </Text>
        )}
        <To scope={scope} path={`campaigns/${campaign.id}`}>
          {words.openCampaign}
        </To>
      </Group>
      {!isWaiting && <Alert color="gray">{words.notDraft}</Alert>}
      {isWaiting && approvedAsIs === false && (
        <Alert color="yellow">{stands ? words.editedSince : why}</Alert>
      )}
      {summary !== null && (
        <Text size="sm" className={long.long}>
          {`${words.audience}: `}
          <WithCampaigns scope={scope} text={summary} />
        </Text>
      )}
      {campaign.channel !== "web_inapp" && (
        <Text size="sm" className={long.long}>
          {`${onceWords.field}: ${describeOnce(campaign.once)}`}
        </Text>
      )}
    </Stack>
  );
}

function Parts({ scope, campaign, activation, decided }: Props) {
  const { channel, variants } = campaign;
  const isWaiting = activation.approval !== "unavailable";
  return (
    <Stack gap="xl">
      <Facts scope={scope} campaign={campaign} activation={activation} decided={decided} />
      {isWaiting && <ReachOf scope={scope} channel={channel} />}
      <LaunchedMessages scope={scope} channel={channel} variants={variants} isLaunched={!isWaiting} />
      {isWaiting && (
        <Section title={words.findings}>
          <LaunchedFindings scope={scope} campaign={campaign} />
        </Section>
      )}
      {isWaiting && (
        <ActivationActions
          key={campaign.id}
          scope={scope}
          name={campaign.name}
          activation={activation}
          revision={decided.revision}
        />
      )}
      <LaunchSummary activation={activation} />
      {isWaiting && (
        <Section title={shared.mode}>
          <LaunchMode scope={scope} name={campaign.name} activation={activation} />
        </Section>
      )}
      <AnnouncedChanges scope={scope} activation={activation} />
      {isWaiting && <WaitsFor activation={activation} />}
      <Section title={words.revision}>
        <Text c="dimmed">{words.revisionAbout}</Text>
        <Copied text={decided.revision} label={words.revision} />
      </Section>
    </Stack>
  );
}

export function ActivationPage({ scope }: { scope: string }) {
  const input = { path: { id: useNamed("campaignId") } };
  const campaign = useOperation(scope, "getCampaign", input);
  const activation = useOperation(scope, "getCampaignActivation", input);
  const decided = useOperation(scope, "getActivationApproval", input);
  const name = campaign.data?.campaign.name;
  return (
    <Page
      {...(name !== undefined && { title: name })}
      about={activation.data?.effectiveMode === "manual" ? words.byHandAbout : words.activationAbout}
    >
      <To scope={scope} path="approvals">
        {words.back}
      </To>
      <Loaded query={campaign}>
        {(found) => (
          <Loaded query={activation}>
            {(known) => (
              <Loaded query={decided}>
                {(approval) => (
                  <Parts scope={scope} campaign={found.campaign} activation={known} decided={approval} />
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}
