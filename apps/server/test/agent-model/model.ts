import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import type { CampaignMutation } from "../agent.ts";

/**
 * What agents and people may do to campaigns that are evaluated, as plainly as it can be written down: each rule once, in the order in
 * which the first that applies answers. It knows the design and no statement. Instants are epoch milliseconds.
 */

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Status = "draft" | "running" | "paused" | "ended";
export type Action = "launch" | "pause" | "end";

/** What an operation answers: `body` is the part of the body that the model knows. */
export type Expected = { status: number; reason: string | null; body: Readonly<Record<string, unknown>> };

const yes = (body: Expected["body"] = {}, status = 200): Expected => ({ status, reason: null, body });
const no = (status: number, reason: string | null = null): Expected => ({ status, reason, body: {} });

type Variant = { id: string; name: string; weight: number; title: string };

type Content = {
  status: Status;
  name: string;
  variants: Variant[];
  deliverFrom: number | null;
  deliverUntil: number | null;
};

export type Proposal = {
  id: string;
  evaluationAt: number;
  mutation: CampaignMutation;
  payloadHash: string;
  /** The fields that it depends on, as they were when it was made. */
  base: string;
  status: "pending" | "approved" | "rejected";
  isForGood: boolean;
  expiresAt: number;
  isUsed: boolean;
  /** Whether another proposal of the same change took its place. */
  isSuperseded: boolean;
};

type Applied = {
  evaluationAt: number;
  mutation: CampaignMutation;
  payloadHash: string;
  token: string;
  status: Status;
  proposalId: string | null;
  /** Whether people had to approve it then. */
  neededApproval: boolean;
};

export type Campaign = Content & {
  id: string;
  goal: Goal;
  evaluationAt: number | null;
  lease: { token: string; expiresAt: number } | null;
  /** Every lease that was granted, in order. */
  tokens: string[];
  /** Whether its last claim ended with a proposal. */
  hasJustProposed: boolean;
  /** Every instant at which it was claimed, in order. */
  instants: number[];
  proposals: Proposal[];
  applied: Applied[];
};

type Goal = { id: string; isActive: boolean; needsPeople: boolean };

type Settings = {
  loopPaused: boolean;
  needsPeople: boolean;
  maxRunsPerDay: number;
  maxConcurrentCampaigns: number;
  approvalHours: number;
};

/** A change that people make by PATCH, or an agent by a mutation. */
export type Change = {
  name?: string;
  variants?: readonly { id: string; name?: string; weight?: number; title?: string }[];
  deliverFrom?: number | null;
  deliverUntil?: number | null;
};

const sha256 = (value: unknown): string => hash("sha256", canonicalize(value) ?? "", "hex");

/** Whether a mutation says something at all, and names no variant twice. */
function isWellFormed(mutation: CampaignMutation): boolean {
  if (mutation.type === "status") return true;
  const ids = (mutation.variants ?? []).map(({ id }) => id);
  return (mutation.name !== undefined || ids.length > 0) && new Set(ids).size === ids.length;
}

export class Model {
  readonly campaigns: Campaign[] = [];
  readonly goals: Goal[] = [];
  readonly settings: Settings = {
    loopPaused: false,
    needsPeople: false,
    maxRunsPerDay: 20,
    maxConcurrentCampaigns: 1,
    approvalHours: 72,
  };
  /** Claims that were paid for, by UTC day. */
  readonly #granted = new Map<number, number>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get #now(): number {
    return this.#clock();
  }

  get runsUsedToday(): number {
    return this.#granted.get(Math.floor(this.#now / DAY)) ?? 0;
  }

  // --- What may be read -----------------------------------------------------------------------------------------------------------

  effectiveStatus({ status, deliverFrom, deliverUntil }: Content): string {
    if (status === "draft" || status === "ended") return status;
    if (deliverUntil !== null && this.#now >= deliverUntil) return "expired";
    return status === "running" && deliverFrom !== null && this.#now < deliverFrom ? "scheduled" : status;
  }

  liveToken({ lease }: Campaign): string | null {
    return lease !== null && this.#now < lease.expiresAt ? lease.token : null;
  }

  stateOf(campaign: Campaign, proposal: Proposal): string {
    const { status, isUsed, expiresAt } = proposal;
    if (status === "rejected") return "rejected";
    if (isUsed) return "used";
    if (proposal.isSuperseded || this.#now >= expiresAt) return "expired";
    const isOff =
      proposal.evaluationAt !== campaign.evaluationAt ||
      this.#isApplied(campaign, proposal) ||
      this.#isStale(campaign, proposal);
    return status === "approved" && isOff ? "expired" : status;
  }

  /** What people decided; what waited too long for them reads rejected. */
  statusOf({ status, expiresAt }: Proposal): string {
    return status === "pending" && this.#now >= expiresAt ? "rejected" : status;
  }

  due(): Expected["body"] {
    const { loopPaused, maxRunsPerDay } = this.settings;
    const isSpent = this.runsUsedToday >= maxRunsPerDay;
    const campaigns = this.campaigns
      .filter((each) => !loopPaused && this.#claimFault(each) === null)
      .filter((each) => !isSpent || this.#isContinuation(each))
      .sort((a, b) => (a.evaluationAt ?? 0) - (b.evaluationAt ?? 0) || (a.id < b.id ? -1 : 1))
      .map((each) => ({
        campaignId: each.id,
        name: each.name,
        goalId: each.goal.id,
        effectiveStatus: this.effectiveStatus(each),
        nextEvaluationAt: each.evaluationAt,
        decidedContinuation: this.#isContinuation(each),
      }));
    return { campaigns, loopPaused, runsUsedToday: this.runsUsedToday, maxRunsPerDay };
  }

  // --- What agents do -------------------------------------------------------------------------------------------------------------

  /** `token` is the one that was answered, if it was. */
  claim(campaign: Campaign, { seconds, token }: { seconds: number; token: string }): Expected {
    const { loopPaused, maxRunsPerDay, maxConcurrentCampaigns } = this.settings;
    const fault = this.#claimFault(campaign);
    if (fault !== null) return no(409, fault);
    if (loopPaused) return no(409, "loop_paused");
    const isContinuation = this.#isContinuation(campaign);
    if (!isContinuation && this.runsUsedToday >= maxRunsPerDay) return no(409, "budget_spent");
    const live = this.campaigns.filter((each) => this.liveToken(each) !== null);
    if (live.length >= maxConcurrentCampaigns) return no(409, "concurrency");
    if (!isContinuation) this.#granted.set(Math.floor(this.#now / DAY), this.runsUsedToday + 1);
    campaign.lease = { token, expiresAt: this.#now + seconds * SECOND };
    campaign.tokens.push(token);
    campaign.hasJustProposed = false;
    const at = campaign.evaluationAt ?? 0;
    if (campaign.instants.at(-1) !== at) campaign.instants.push(at);
    const applied = campaign.applied.filter(({ evaluationAt }) => evaluationAt === at);
    return yes({
      nextEvaluationAt: at,
      decidedContinuation: isContinuation,
      applied: applied.map(({ payloadHash }) => payloadHash).sort(),
    });
  }

  mutate(
    campaign: Campaign,
    wanted: { token: string; evaluationAt: number; mutation: CampaignMutation; approvalId: string | null },
  ): Expected {
    const { token, evaluationAt, mutation, approvalId } = wanted;
    if (!isWellFormed(mutation)) return no(400);
    const approval = this.#proposal(approvalId);
    if (approvalId !== null && approval === null) return no(404);
    const payloadHash = this.#hash(campaign, evaluationAt, mutation);
    const known = campaign.applied.find((each) => each.payloadHash === payloadHash);
    if (known !== undefined && (known.token === token || this.liveToken(campaign) === token)) {
      if (!this.#holds(campaign, known.mutation)) return no(409, "undone");
      return yes({ campaignId: campaign.id, applied: known.mutation, status: campaign.status });
    }
    const fault = this.#actFault(campaign, token, evaluationAt);
    if (fault !== null) return no(409, fault);
    if (this.#isRejected(campaign, payloadHash, mutation)) return no(403, "proposal_rejected");
    const neededApproval = campaign.goal.needsPeople || this.settings.needsPeople;
    if (approval === null && neededApproval) return no(403, "approval_required");
    if (approval !== null) {
      const wrong = this.#approvalFault(approval, payloadHash);
      if (wrong !== null) return no(409, wrong);
    }
    const refused = this.#apply(campaign, mutation);
    if (refused !== null) return refused;
    if (approval !== null) approval.proposal.isUsed = true;
    const { status } = campaign;
    const proposalId = approval?.proposal.id ?? null;
    campaign.applied.push({ evaluationAt, mutation, payloadHash, token, status, proposalId, neededApproval });
    return yes({ campaignId: campaign.id, applied: mutation, status });
  }

  /** `id` is the one that was answered, if it was. */
  propose(
    campaign: Campaign,
    wanted: { token: string; evaluationAt: number; mutation: CampaignMutation; id: string },
  ): Expected {
    const { token, evaluationAt, mutation, id } = wanted;
    if (!isWellFormed(mutation)) return no(400);
    const payloadHash = this.#hash(campaign, evaluationAt, mutation);
    const isCurrent = campaign.evaluationAt === evaluationAt;
    const known = campaign.proposals.find(
      (each) => isCurrent && !each.isSuperseded && each.payloadHash === payloadHash,
    );
    const isAnew =
      known !== undefined &&
      this.stateOf(campaign, known) === "expired" &&
      this.liveToken(campaign) === token;
    if (known !== undefined && !isAnew)
      return yes({
        id: known.id,
        awaitingDecision: this.stateOf(campaign, known) === "pending",
        leaseHeld: this.liveToken(campaign) === token,
      });
    const fault = this.#actFault(campaign, token, evaluationAt);
    if (fault !== null) return no(409, fault);
    if (this.#isRejected(campaign, payloadHash, mutation)) return no(403, "proposal_rejected");
    if (this.#isApplied(campaign, { payloadHash })) return no(409, "applied_already");
    if (this.#isAwaiting(campaign)) return no(409, "awaiting_decision");
    if (this.#isUnapplied(campaign)) return no(409, "approved_unapplied");
    const refused = this.#apply(structuredClone(campaign), mutation);
    if (refused !== null) return refused;
    if (known !== undefined) known.isSuperseded = true;
    campaign.proposals.push({
      isSuperseded: false,
      id,
      evaluationAt,
      mutation,
      payloadHash,
      status: "pending",
      isForGood: false,
      isUsed: false,
      base: this.#fieldsOf(campaign, mutation),
      expiresAt: this.#now + this.settings.approvalHours * HOUR,
    });
    campaign.lease = null;
    campaign.hasJustProposed = true;
    return yes({ id, awaitingDecision: true, leaseHeld: false }, 201);
  }

  complete(campaign: Campaign, { token, next }: { token: string; next: number | null }): Expected {
    if (this.liveToken(campaign) !== token) return no(409, "lease_lost");
    if (next !== null && (next < this.#now + 60 * SECOND || !this.#mayPlan(campaign, next))) return no(400);
    if (this.#isUnapplied(campaign)) return no(409, "approved_unapplied");
    const mustGoOn = ["running", "paused", "scheduled"].includes(this.effectiveStatus(campaign));
    if (next === null && campaign.goal.isActive && mustGoOn) return no(409, "still_eligible");
    campaign.lease = null;
    campaign.evaluationAt = next;
    return yes({ concluded: next === null, nextEvaluationAt: next });
  }

  // --- What people do -------------------------------------------------------------------------------------------------------------

  schedule(campaign: Campaign, at: number): Expected {
    if (!this.#mayPlan(campaign, at)) return no(400);
    if (this.liveToken(campaign) !== null) return no(409, "leased");
    if (this.#isAwaiting(campaign)) return no(409, "awaiting_decision");
    if (this.#isUnapplied(campaign)) return no(409, "decision_unapplied");
    campaign.evaluationAt = at;
    return yes({ campaignId: campaign.id, nextEvaluationAt: at });
  }

  /** Answers whether it could be decided. */
  decide(
    campaign: Campaign,
    proposal: Proposal,
    { status, isForGood }: { status: "approved" | "rejected"; isForGood: boolean },
  ): boolean {
    if (this.stateOf(campaign, proposal) !== "pending") return false;
    const isOff = this.#isApplied(campaign, proposal) || this.#isStale(campaign, proposal);
    if (status === "approved" && isOff) return false;
    const expiresAt = this.#now + this.settings.approvalHours * HOUR;
    Object.assign(proposal, { status, isForGood, expiresAt });
    return true;
  }

  changeStatus(campaign: Campaign, action: Action): Expected {
    return this.#apply(campaign, { type: "status", action }) ?? yes({ status: campaign.status });
  }

  patch(campaign: Campaign, change: Change): Expected {
    return this.#edit(campaign, change) ?? yes();
  }

  // --- Rules ----------------------------------------------------------------------------------------------------------------------

  #hash(campaign: Campaign, evaluationAt: number, mutation: CampaignMutation): string {
    return sha256({ campaignId: campaign.id, evaluationAt, mutation });
  }

  #proposal(id: string | null): { owner: Campaign; proposal: Proposal } | null {
    for (const owner of this.campaigns)
      for (const proposal of owner.proposals) if (proposal.id === id) return { owner, proposal };
    return null;
  }

  #isEligible(campaign: Campaign): boolean {
    return campaign.goal.isActive && ["draft", "running", "paused"].includes(this.effectiveStatus(campaign));
  }

  #claimFault(campaign: Campaign): string | null {
    if (campaign.evaluationAt === null || campaign.evaluationAt > this.#now) return "not_due";
    if (!this.#isEligible(campaign)) return "ineligible";
    if (this.liveToken(campaign) !== null) return "leased";
    return this.#isAwaiting(campaign) ? "awaiting_decision" : null;
  }

  #actFault(campaign: Campaign, token: string, evaluationAt: number): string | null {
    if (this.liveToken(campaign) !== token) return "lease_lost";
    if (campaign.evaluationAt !== evaluationAt) return "evaluation_mismatch";
    if (this.settings.loopPaused) return "loop_paused";
    return this.#isEligible(campaign) ? null : "ineligible";
  }

  #approvalFault(
    { owner, proposal }: { owner: Campaign; proposal: Proposal },
    payloadHash: string,
  ): string | null {
    const state = this.stateOf(owner, proposal);
    if (state === "pending") return "approval_pending";
    if (proposal.payloadHash !== payloadHash) return "approval_mismatch";
    if (state === "used") return "approval_used";
    if (this.#now >= proposal.expiresAt) return "approval_expired";
    return state === "expired" ? "approval_stale" : null;
  }

  #isAwaiting(campaign: Campaign): boolean {
    return campaign.proposals.some((each) => this.stateOf(campaign, each) === "pending");
  }

  /** Whether a proposal of its instant is approved, and what it says was not applied yet. */
  #isUnapplied(campaign: Campaign): boolean {
    return campaign.proposals.some(
      (each) => each.evaluationAt === campaign.evaluationAt && this.stateOf(campaign, each) === "approved",
    );
  }

  /** Whether a change was applied in its evaluation, with an approval or without. */
  #isApplied(campaign: Campaign, { payloadHash }: Pick<Proposal, "payloadHash">): boolean {
    return campaign.applied.some((each) => each.payloadHash === payloadHash);
  }

  /** Whether a campaign is as a change would leave it. */
  #holds({ status, name, variants }: Campaign, mutation: CampaignMutation): boolean {
    if (mutation.type === "status")
      return status === { launch: "running", pause: "paused", end: "ended" }[mutation.action];
    if (mutation.name !== undefined && mutation.name !== name) return false;
    return (mutation.variants ?? []).every((patch) => {
      const found = variants.find(({ id }) => id === patch.id);
      const isNamed = patch.name === undefined || patch.name === found?.name;
      return isNamed && (patch.weight === undefined || patch.weight === found?.weight);
    });
  }

  /**
   * Whether a proposal of its instant is decided, by people or by the time that is over, was not applied, and there was no claim since:
   * a takeover pays.
   */
  #isContinuation(campaign: Campaign): boolean {
    if (!campaign.hasJustProposed) return false;
    return campaign.proposals.some(
      (each) =>
        each.evaluationAt === campaign.evaluationAt &&
        !each.isUsed &&
        !each.isSuperseded &&
        this.statusOf(each) !== "pending",
    );
  }

  #isRejected(campaign: Campaign, payloadHash: string, mutation: CampaignMutation): boolean {
    return campaign.proposals
      .filter(({ status }) => status === "rejected")
      .some(
        (each) =>
          each.payloadHash === payloadHash || (each.isForGood && sha256(each.mutation) === sha256(mutation)),
      );
  }

  #isStale(campaign: Campaign, { mutation, base }: Proposal): boolean {
    return this.#fieldsOf(campaign, mutation) !== base;
  }

  /** What a mutation depends on: all that people read of a campaign, with the status and the window where these matter. */
  #fieldsOf(
    { status, name, variants, deliverFrom, deliverUntil }: Campaign,
    mutation: CampaignMutation,
  ): string {
    const read = variants.map(({ id, weight, title }) => ({ id, weight, title }));
    if (mutation.type === "status")
      return JSON.stringify([
        read,
        status,
        mutation.action === "launch" ? [deliverFrom, deliverUntil] : null,
      ]);
    const patches = mutation.variants ?? [];
    const hasName = (id: string) => patches.some((each) => each.id === id && each.name !== undefined);
    return JSON.stringify([
      read,
      mutation.name === undefined ? null : name,
      variants.map((each) => (hasName(each.id) ? each.name : null)),
    ]);
  }

  /** Whether an evaluation may be planned for an instant. */
  #mayPlan(campaign: Campaign, at: number): boolean {
    const { goal, deliverFrom, deliverUntil } = campaign;
    const isOver = ["ended", "expired"].includes(this.effectiveStatus(campaign));
    const isInside = at >= (deliverFrom ?? at) && at < (deliverUntil ?? at + 1);
    return goal.isActive && !isOver && isInside;
  }

  /** Applies a mutation; answers the refusal where it cannot be. */
  #apply(campaign: Campaign, mutation: CampaignMutation): Expected | null {
    if (mutation.type === "update") {
      const { name, variants } = mutation;
      const patches = variants?.map(({ id, name, weight }) => ({
        id,
        ...(name === undefined ? {} : { name }),
        ...(weight === undefined ? {} : { weight }),
      }));
      return this.#edit(campaign, {
        ...(name === undefined ? {} : { name }),
        ...(patches === undefined ? {} : { variants: patches }),
      });
    }
    const { status, deliverUntil } = campaign;
    const { action } = mutation;
    const isOver = deliverUntil !== null && this.#now >= deliverUntil;
    if (status === "ended" || (action !== "end" && isOver)) return no(409);
    if (action === "launch" && status === "running") return no(409);
    if (action === "pause" && status !== "running") return no(409);
    campaign.status = action === "launch" ? "running" : action === "pause" ? "paused" : "ended";
    return null;
  }

  #edit(campaign: Campaign, change: Change): Expected | null {
    if (campaign.status === "ended") return no(409);
    const { deliverFrom = campaign.deliverFrom, deliverUntil = campaign.deliverUntil } = change;
    const isLate = change.deliverUntil !== undefined && deliverUntil !== null && deliverUntil <= this.#now;
    const movesWindow = change.deliverFrom !== undefined || change.deliverUntil !== undefined;
    const isTurned = deliverFrom !== null && deliverUntil !== null && deliverFrom >= deliverUntil;
    if (isLate || (movesWindow && isTurned)) return no(400);
    const patches = change.variants ?? [];
    if (patches.some(({ id }) => !campaign.variants.some((each) => each.id === id))) return no(400);
    const variants = campaign.variants.map((each) => ({
      ...each,
      ...patches.find(({ id }) => id === each.id),
    }));
    if (!variants.some(({ weight }) => weight > 0)) return no(400);
    if (new Set(variants.map(({ name }) => name)).size < variants.length) return no(400);
    Object.assign(campaign, { name: change.name ?? campaign.name, variants, deliverFrom, deliverUntil });
    return null;
  }
}
