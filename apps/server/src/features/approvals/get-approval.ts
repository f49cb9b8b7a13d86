import { z } from "zod";
import { pathIds } from "../../domain/fields.ts";
import { apiId, uuidFor } from "../../domain/ids.ts";
import { type Ctx, endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { isSameJson } from "../../platform/text/canonical.ts";
import {
  type AffectedFields,
  type ChangedMessage,
  messagesAbout,
  weightsAfter,
} from "../agent/evaluations/changes/affected.pure.ts";
import { audienceWithNames, changedTexts } from "../agent/evaluations/proposals/review.pure.ts";
import {
  findProposal,
  hasMessage,
  movedSince,
  mutationOf,
  type ProposalRow,
  payloadOf,
  proposalBase,
  readAtWork,
  reviewOf,
  viewProposal,
} from "../agent/evaluations/public.ts";
import { weightClaims } from "../agent/evaluations/verdicts/verdict.pure.ts";
import { readStored } from "../audience/language/parse/stored.pure.ts";
import { describeAudience } from "../audience/language/public.ts";
import { findAuthors, namesIn } from "../audit/public.ts";
import { viewCampaignDetail } from "../campaigns/authoring/public.ts";
import type { CampaignDetail } from "../campaigns/authoring/schema.ts";
import { measuredOf } from "./measured.ts";
import { Approval } from "./schema.ts";

type Variants = CampaignDetail["variants"];

/** Each variant with its weights: when a proposal was made, and as it sets them. */
function weighed(proposal: ProposalRow, base: AffectedFields, variants: Variants) {
  const then = variants.map((variant) => {
    const weight = base[`variants[${variant.id}].weight`];
    return { ...variant, weight: typeof weight === "number" ? weight : variant.weight };
  });
  const after = weightsAfter(mutationOf(proposal), then);
  return then.map(({ id, isControl, weight }) => ({
    variantId: id,
    isControl,
    before: weight,
    after: after.get(id) ?? weight,
  }));
}

type Weighed = ReturnType<typeof weighed>;

/** The part of all weights that one has. */
const shareOf = (weight: number, all: readonly number[]): number => {
  const sum = all.reduce((a, b) => a + b, 0);
  return sum === 0 ? 0 : weight / sum;
};

/** A message as it is stored; null for none. */
const message = (value: unknown) => value as Approval["messages"][number]["after"];

/** Which message of a change the variant has now. */
async function readNow(
  campaign: Pick<CampaignDetail, "channel" | "purpose">,
  { before, after }: ChangedMessage,
  variant: Variants[number] | undefined,
): Promise<Approval["messages"][number]["now"]> {
  if (variant === undefined) return "neither";
  if (isSameJson(variant.content, after)) return "after";
  if (isSameJson(variant.content, before)) return "before";
  return (await hasMessage(campaign, variant, after)) ? "after" : "neither";
}

/** The messages that a proposal is about, in the order of the campaign. */
async function messagesFor(
  proposal: ProposalRow,
  base: AffectedFields,
  campaign: CampaignDetail,
  weights: Weighed,
): Promise<Approval["messages"]> {
  const about = new Map(messagesAbout(mutationOf(proposal), base).map((each) => [each.variantId, each]));
  const { variants } = campaign;
  const messages: Approval["messages"] = [];
  for (const { variantId, isControl, before, after } of weights) {
    const changed = about.get(variantId);
    if (changed === undefined) continue;
    messages.push({
      variantId,
      isControl,
      share: {
        before: shareOf(
          before,
          weights.map((each) => each.before),
        ),
        after: shareOf(
          after,
          weights.map((each) => each.after),
        ),
      },
      before: changed.before === null ? null : message(changed.before),
      after: message(changed.after),
      now: await readNow(
        campaign,
        changed,
        variants.find(({ id }) => id === variantId),
      ),
    });
  }
  return messages;
}

/** Fields that were changed since a proposal was made, as people read them: whom the campaign is for in words, not as a tree. */
async function inWords(ctx: Ctx, row: ProposalRow, { audience }: CampaignDetail, fields: Approval["moved"]) {
  if (fields.length === 0) return { moved: fields, names: {} };
  const before = describeAudience(readStored(proposalBase(row).audience)).audience;
  const names = await namesIn(ctx, [fields, before, audience]);
  const isOfAudience = ({ path }: Approval["moved"][number]): boolean => /^audience(\.|$)/.test(path);
  const others = fields.filter((field) => !isOfAudience(field));
  if (others.length === fields.length) return { moved: fields, names };
  const words = { before: audienceWithNames(before, names), after: audienceWithNames(audience, names) };
  return { moved: [...others, { path: "audience", ...words }], names };
}

/** Operations by which people change what a proposal depends on. */
const CHANGING = [
  "updateCampaign",
  "setCampaignStatus",
  "overrideLaunch",
  "updateGoal",
  "updateJourney",
  "setJourneyStatus",
];
const MAX_CHANGERS = 10;

/** Which people have changed a campaign, its goal or its journey (`more`, by their ids) since a proposal was made, and when. Newest first. */
async function changersOf(
  { db, projectId }: Ctx,
  { campaignId, createdAt }: ProposalRow,
  ...more: readonly (string | null | undefined)[]
): Promise<Approval["changedBy"]> {
  const targets = [apiId("cmp", campaignId), ...more.flatMap((target) => target ?? [])];
  const authors = await findAuthors(db, projectId, CHANGING, targets);
  return [...authors.values()]
    .flatMap((names) => [...names].map(([at, name]) => ({ name, at })))
    .filter(({ at }) => at >= createdAt)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_CHANGERS);
}

async function approvalOf(ctx: Ctx, row: ProposalRow): Promise<Approval> {
  const { db, projectId, now } = ctx;
  const campaign = await viewCampaignDetail(db, projectId, row.campaignId, now);
  if (campaign === null) throw new Error("A proposal for a campaign that is not there.");
  const { name, channel, effectiveStatus, once, goalId, variants } = campaign;
  const base = proposalBase(row);
  const weights = weighed(row, base, variants);
  const since = (await movedSince(ctx, row)) ?? [];
  const { moved, names } = await inWords(ctx, row, campaign, since);
  const proposal = await viewProposal(ctx, row, since);
  const claims = weightClaims(weights);
  return {
    proposal,
    review: await reviewOf(ctx, row, since),
    campaign: {
      name,
      channel,
      effectiveStatus,
      once,
      goalId,
      variants: variants.map((variant) => ({ id: variant.id, name: variant.name })),
    },
    messages: await messagesFor(row, base, campaign, weights),
    claims,
    ...(await measuredOf(ctx, row, {
      isOpen: proposal.state === "pending",
      claims: claims.length,
      variants,
    })),
    moved,
    movedTexts: changedTexts(moved),
    names,
    changedBy: moved.length === 0 ? [] : await changersOf(ctx, row, goalId, campaign.journeyStep?.journeyId),
    atWork: await readAtWork(ctx),
    payload: payloadOf(row.campaignId, row.evaluationAt, mutationOf(row)),
  };
}

export const getApproval = endpoint(
  {
    id: "getApproval",
    method: "GET",
    path: "/api/people/proposals/{id}",
    tag: "Agent",
    summary: "Read a proposal with all that a person looks at in order to decide it",
    keys: [],
    people: "viewer",
    cost: "heavy",
    oneInstant: true,
    params: z.object({ id: pathIds.proposal }),
    result: Approval,
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const row = await findProposal(ctx.db, ctx.projectId, uuidFor("prop", params.id));
    if (row === null) throw new ApiError("not_found", "Proposal not found");
    return approvalOf(ctx, row);
  },
);
