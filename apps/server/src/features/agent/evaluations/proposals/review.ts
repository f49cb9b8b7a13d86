import { setImmediate } from "node:timers/promises";
import type { Db } from "../../../../platform/db/db.ts";
import { hostsOf } from "../../../campaigns/authoring/message/links.pure.ts";
import { type CampaignRow, findCampaign, viewCampaignDetail } from "../../../campaigns/authoring/public.ts";
import type { CampaignDetail, Channel } from "../../../campaigns/authoring/schema.ts";
import { observeGuardrails } from "../../../guardrails/public.ts";
import { findJourney } from "../../../journeys/authoring/public.ts";
import { findRun } from "../../../runs/public.ts";
import {
  type AffectedFields,
  type ChangedMessage,
  changedMessages,
  messagesAbout,
  messagesOf,
  setFields,
} from "../changes/affected.pure.ts";
import { hostsForAgents } from "../limits/links.ts";
import { MAX_CHANGES, type ProposalReview } from "../schema.ts";
import { journeyReviewOf } from "./journey-review.ts";
import { isStale, type Moved, mutationOf, proposalBase } from "./open-proposals.ts";
import type { ProposalRow } from "./proposal-store.ts";
import { audienceInWords, changedTexts, fieldChanges, readTexts } from "./review.pure.ts";
import { countAudience } from "./review-store.ts";

/** The run in which the agent gave its reason. */
async function evidenceOf(
  { db, projectId }: { db: Db; projectId: string },
  runUuid: string | null,
): Promise<ProposalReview["evidence"]> {
  const run = runUuid === null ? null : await findRun(db, projectId, runUuid);
  return run && { runId: run.id, rationale: run.rationale, output: run.output };
}

/** What users read of the messages that a change is about. Parsing takes time, so others get a turn in between. */
async function renderedOf(
  channel: Channel,
  messages: readonly ChangedMessage[],
): Promise<ProposalReview["rendered"]> {
  const rendered: ProposalReview["rendered"] = [];
  for (const { variantId, before, after } of messages) {
    await setImmediate();
    const read = readTexts(channel, after);
    const readBefore = before === after ? read : before === null ? null : readTexts(channel, before);
    rendered.push({ variantId, before: readBefore, after: read });
  }
  return rendered;
}

/** Where links of a change lead that the campaign has not used. `base` has its messages when this was proposed. */
async function newHostsOf(
  within: Parameters<typeof hostsForAgents>[0],
  channel: Channel,
  { base, messages }: { base: AffectedFields; messages: readonly ChangedMessage[] },
): Promise<ProposalReview["newHosts"]> {
  const isKnown = await hostsForAgents(within, channel, messagesOf(base));
  const found: ProposalReview["newHosts"] = [];
  for (const { variantId, after } of messages) {
    await setImmediate();
    const links = hostsOf(after, channel).filter(({ host }) => !isKnown(host));
    found.push(...links.map((link) => ({ variantId, ...link })));
  }
  return found.slice(0, MAX_CHANGES);
}

/** Whom a campaign is for, and how many have it. */
async function audienceOf(
  { db, projectId, now }: { db: Db; projectId: string; now: number },
  campaign: CampaignRow,
  view: CampaignDetail,
): Promise<ProposalReview["audience"]> {
  const { journeyId } = campaign;
  const journey = journeyId === null ? null : await findJourney(db, projectId, journeyId);
  const summary =
    journey === null
      ? audienceInWords(view)
      : `users inside the journey ${journey.name} who come to its step ${campaign.stepId}`;
  return { summary, ...(await countAudience(db, { projectId, now, campaign })) };
}

/** What a person has to see in order to decide a proposal. Needs a transaction that reads at one instant. `known`: what `movedSince` answered at it. */
export async function reviewOf(
  within: { db: Db; projectId: string; now: number; app?: { publicUrl(): string } },
  proposal: ProposalRow,
  known?: Moved,
): Promise<ProposalReview> {
  const { db, projectId, now } = within;
  const mutation = mutationOf(proposal);
  const base = proposalBase(proposal);
  const changes = fieldChanges(base, setFields(mutation));
  const campaign = await findCampaign(db, projectId, proposal.campaignId);
  const view = await viewCampaignDetail(db, projectId, proposal.campaignId, now);
  if (campaign === null || view === null) throw new Error("A proposal for a campaign that is not there.");
  const messages = changedMessages(mutation, base);
  // Fields are stored in an order of their own; people read variants in the order of the campaign.
  const inOrder = view.variants.flatMap(({ id }) =>
    messagesAbout(mutation, base).filter(({ variantId }) => variantId === id),
  );
  return {
    changes,
    texts: changedTexts(changes),
    rendered: await renderedOf(campaign.channel, inOrder),
    newHosts: await newHostsOf(within, campaign.channel, { base, messages }),
    audience: await audienceOf(within, campaign, view),
    evidence: await evidenceOf(within, proposal.proposedRunId),
    guardrails: await observeGuardrails(db, campaign, now),
    journey: await journeyReviewOf(within, proposal),
    isStale: await isStale(within, proposal, known),
  };
}
