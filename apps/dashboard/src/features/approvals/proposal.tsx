import { Alert, Group, Stack, Text } from "@mantine/core";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf, zoneName } from "../../platform/times.ts";
import { Changes } from "../../ui/changes/changes.tsx";
import { Guardrails } from "../../ui/guardrails/guardrails.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import long from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { ReachOf } from "../../ui/reach/reach.tsx";
import { Section } from "../../ui/section.tsx";
import { Restarts } from "../../ui/statistics/restarts.tsx";
import { Copied } from "../../ui/texts/copied.tsx";
import { To } from "../../ui/to.tsx";
import { Applying } from "./parts/applying.tsx";
import { StateBadge } from "./parts/decided-approvals.tsx";
import { DecisionForm } from "./parts/decision-form.tsx";
import { ProposedFindings } from "./parts/findings.tsx";
import { ProposedJourney } from "./parts/journey.tsx";
import { ProposedMessages } from "./parts/messages.tsx";
import { ProposalAudience } from "./parts/proposal-audience.tsx";
import { ProposalEvidence } from "./parts/proposal-evidence.tsx";
import { type Approval, bringsTexts, isDecidable, proposalParts, variantName } from "./rules.ts";
import { words } from "./words.ts";

type Props = { scope: string; approval: Approval };

/** When it was proposed, and what became of it. */
function Facts({ scope, approval: { proposal, campaign } }: Props) {
  const { state, createdAt, expiresAt, decidedBy, decidedAt, consumedAt, reason } = proposal;
  const facts = [
    words.proposedAt(timeOf(createdAt)),
    isDecidable(proposal) && words.decideUntil(timeOf(expiresAt), zoneName()),
    decidedBy !== null && words.decidedBy(decidedBy, timeOf(decidedAt ?? createdAt)),
    state === "approved" && words.applyUntil(timeOf(expiresAt)),
    consumedAt !== null && words.appliedAt(timeOf(consumedAt)),
  ];
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <StateBadge proposal={proposal} />
        <Text size="sm">{words.parts(proposalParts(proposal))}</Text>
        <Text size="sm" c="dimmed">
          {facts.filter((fact) => fact !== false).join(", ")}
        </Text>
      </Group>
      {reason !== null && (
        <Text size="sm" className={long.long}>
          {words.quoted(reason)}
        </Text>
      )}
      <Group gap="md">
        <To scope={scope} path={`campaigns/${proposal.campaignId}`}>
          {words.openCampaign}
        </To>
        {campaign.goalId !== null && (
          <To scope={scope} path={`goals/${campaign.goalId}`}>
            {words.goal}
          </To>
        )}
      </Group>
    </Stack>
  );
}

/** The fields that were changed since, by whom and when. */
function Moved({ scope, about, approval }: Props & { about: string }) {
  const { moved, movedTexts, names, changedBy, campaign } = approval;
  return (
    <Stack gap="sm">
      <Text size="sm">{about}</Text>
      <Text size="sm">
        {changedBy.length === 0
          ? words.changedByProgram
          : words.changedBy(changedBy.map(({ name, at }) => words.byAt(name, timeOf(at))))}
      </Text>
      <Changes scope={scope} changes={moved} texts={movedTexts} names={names} variants={campaign.variants} />
    </Stack>
  );
}

/** Why it cannot be approved, or was not applied. */
function Hints({ scope, approval }: Props) {
  const { moved, review } = approval;
  const isOfSteps = review.journey !== null;
  const { state, status, expiresAt } = approval.proposal;
  if (state === "pending" && moved.length > 0)
    return (
      <Alert color="yellow" title={isOfSteps ? words.steps.stale : words.staleTitle}>
        <Moved scope={scope} approval={approval} about={words.staleAbout} />
      </Alert>
    );
  if (state !== "expired") return null;
  if (status !== "approved") return <Alert color="gray">{words.tooLate}</Alert>;
  if (moved.length === 0 || Date.now() >= expiresAt)
    return <Alert color="gray">{words.approvedExpired}</Alert>;
  return (
    <Alert color="yellow" title={isOfSteps ? words.steps.lapsed : words.lapsedTitle}>
      <Moved scope={scope} approval={approval} about={words.lapsedAbout} />
    </Alert>
  );
}

/** Where links would lead that the campaign has not used, before anything else of the change. */
function NewHosts({ approval: { review, campaign } }: Pick<Props, "approval">) {
  if (review.newHosts.length === 0) return null;
  return (
    <Alert color="red" title={words.newHostsTitle}>
      <Stack gap="xs">
        <Text size="sm">{words.newHostsAbout}</Text>
        {review.newHosts.map(({ variantId, field, host }) => (
          <Text key={`${variantId} ${field} ${host}`} size="sm" className={long.long}>
            <Text span fw={700} ff="monospace" dir="ltr">
              {host}
            </Text>{" "}
            {words.newHost(variantName(campaign.variants, variantId), field)}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

function Parts({ scope, approval }: Props) {
  const { proposal, review, campaign, payload } = approval;
  const { journey } = review;
  return (
    <Stack gap="xl">
      <Hints scope={scope} approval={approval} />
      <NewHosts approval={approval} />
      {isDecidable(proposal) && <ReachOf scope={scope} channel={campaign.channel} />}
      <Restarts restarts={approval.restarts} nameOf={(id) => variantName(campaign.variants, id)} />
      <ProposedJourney scope={scope} approval={approval} />
      <ProposedMessages scope={scope} approval={approval} />
      {isDecidable(proposal) && bringsTexts(approval) && (
        <Section title={words.findings}>
          <ProposedFindings scope={scope} approval={approval} />
        </Section>
      )}
      {journey === null && (
        <Section title={words.changes}>
          {review.changes.length === 0 && <Text c="dimmed">{words.noFields}</Text>}
          <Changes {...review} scope={scope} names={approval.names} variants={campaign.variants} />
        </Section>
      )}
      <ProposalEvidence scope={scope} approval={approval} />
      {isDecidable(proposal) && <DecisionForm key={proposal.id} scope={scope} approval={approval} />}
      {journey === null && <ProposalAudience scope={scope} audience={review.audience} campaign={campaign} />}
      <Section title={words.guardrails}>
        {review.guardrails.length === 0 && <Text c="dimmed">{words.noGuardrails}</Text>}
        <Guardrails readings={review.guardrails} channel={campaign.channel} />
      </Section>
      <Section title={words.exact}>
        <Text c="dimmed" maw="44rem">
          {words.exactAbout}
        </Text>
        <Copied text={payload} label={words.payload} />
        <Copied text={proposal.payloadHash} label={words.hash} />
      </Section>
    </Stack>
  );
}

const titleOf = ({ review: { journey }, campaign }: Approval): string =>
  journey === null ? words.title(campaign.name) : words.steps.heading(journey.name);

export function ProposalPage({ scope }: { scope: string }) {
  const id = useNamed("proposalId");
  const found = useOperation(scope, "getApproval", { path: { id } });
  const known = found.data;
  return (
    <Page {...(known !== undefined && { title: titleOf(known) })}>
      <To scope={scope} path="approvals">
        {words.back}
      </To>
      <Loaded query={found}>
        {(approval) => (
          <Stack gap="lg">
            <Facts scope={scope} approval={approval} />
            <Applying approval={approval} />
            <Parts scope={scope} approval={approval} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
