import { type Answer, type Client, TidingsError } from "@tidings/client";
import { type Acted, act, isLost, LeaseLost, refusalOf } from "./act.ts";
import { type Lease, observe } from "./observe.ts";
import type { Decided, Policy } from "./policy.ts";
import { keepTranscript, type LoggedRun, logDecision, recentRuns } from "./runs.ts";
import type { Snapshot } from "./snapshot.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** The API wants a next evaluation at least 60 seconds ahead; the rest is for clocks that differ. */
const SOONEST_MS = 65 * SECOND_MS;
/** What an evaluation takes beside the policy's own time, in seconds. */
const BESIDE_POLICY_SECONDS = 120;
/** A campaign is looked at a last time so long before its end: what is found then can still be acted on. */
const LAST_LOOK_MS = 15 * 60 * SECOND_MS;
/** After a fault a campaign is looked at again this soon, or sooner where it is anyway. */
const HOURS_AFTER_FAULT = 1;
const LONGEST_LEASE_SECONDS = 3_600;
const PROPOSALS = 100;

type CampaignDetail = Answer<"getCampaign">["campaign"];

/** What looks after the campaigns of one project. */
export type Agent = {
  api: Client;
  policy: Policy;
  /** From one evaluation of a campaign to the next, in hours. */
  everyHours: number;
  /** Epoch milliseconds. */
  clock: () => number;
  /** Aborted when the program stops: what was begun is given back. */
  signal: AbortSignal;
};

/** What became of an evaluation. `unclaimed` and `refused` have the word of the refusal. */
export type Evaluated = { campaignId: string } & (
  | Acted
  | { result: "unclaimed"; reason: string }
  | { result: "lost" | "stopped" }
);

/** What to do in an evaluation: what was logged before, or what was decided now; and the campaign's proposals. */
type Found = { proposals: Answer<"listProposals">["proposals"] } & (
  | { known: LoggedRun }
  | { snapshot: Snapshot; decided: Decided }
);

async function claim({ api, policy }: Agent, campaignId: string): Promise<Lease | { reason: string }> {
  const wanted = Math.ceil(policy.maxSeconds) + BESIDE_POLICY_SECONDS;
  try {
    const leaseSeconds = Math.min(wanted, LONGEST_LEASE_SECONDS);
    const claimed = await api.claimEvaluation({ path: { id: campaignId }, body: { leaseSeconds } });
    return { ...claimed, campaignId };
  } catch (cause) {
    const refusal = refusalOf(cause);
    if (refusal === null) throw cause;
    return { reason: refusal.reason };
  }
}

/** The decision of this evaluation: the one that was logged, by an agent that ended before it was done, or a new one. */
async function decideOnce(agent: Agent, lease: Lease): Promise<Found> {
  const { api, policy, clock, signal } = agent;
  const { campaignId, nextEvaluationAt } = lease;
  const { proposals } = await api.listProposals({ query: { campaignId, perPage: PROPOSALS } });
  const past = await recentRuns(api, campaignId);
  const known = past.find(({ logged }) => logged.snapshot.evaluationAt === nextEvaluationAt);
  if (known !== undefined) return { known, proposals };
  const { snapshot, messages } = await observe(api, lease, {
    policy: policy.name,
    past,
    proposals,
    now: clock(),
  });
  return { snapshot, decided: await policy.decide({ snapshot, messages, api, signal }), proposals };
}

/** Logs a new decision; answers its run, or null where another program has used the run's place. */
async function logOnce(agent: Agent, lease: Lease, found: Found): Promise<LoggedRun | null> {
  if ("known" in found) return found.known;
  try {
    return await logDecision(agent.api, agent.policy.name, found.snapshot, found.decided);
  } catch (cause) {
    // Only a refusal says for sure that nothing was logged. After all else who claims next looks for it.
    if (refusalOf(cause) !== null) await giveUp(agent, lease);
    throw cause;
  }
}

/** Reports what asking a model used, under the run's id: an agent that goes on after a fault reports the same, and it is billed once. */
async function reportUsage(api: Client, { run, logged: { usage } }: LoggedRun): Promise<void> {
  if (usage === null || usage.calls.length === 0) return;
  const { calls, model } = usage;
  await api.recordAgentUsage({ body: { executionId: run.id, calls, model } });
}

/** When to look at a campaign again: so many hours from now, within its window, with a last look before its end. */
function nextInstant({ deliverFrom, deliverUntil }: CampaignDetail, now: number, hours: number): number {
  const from = Math.max(now + hours * HOUR_MS, deliverFrom ?? 0);
  if (deliverUntil === null) return from;
  const next = Math.min(from, Math.max(deliverFrom ?? 0, deliverUntil - LAST_LOOK_MS));
  return next >= now + SOONEST_MS ? next : deliverUntil - 1;
}

/** Releases a lease, with a next evaluation so many hours from now. */
async function releaseFor({ api, clock }: Agent, lease: Lease, hours: number): Promise<void> {
  const { campaign } = await api.getCampaign({ path: { id: lease.campaignId } });
  const now = clock();
  // The window of a draft may be over as well.
  const isOver = campaign.effectiveStatus === "ended" || (campaign.deliverUntil ?? now + 1) <= now;
  if (isOver) return complete(api, lease, null);
  const next = nextInstant(campaign, now, hours);
  // The campaign ends before it can be evaluated again, and before the lease runs out.
  if (next < now + SOONEST_MS) return;
  await complete(api, lease, next);
}

/** Gives a lease back. @throws LeaseLost where another one has it by now, TidingsError where there has to be a next time */
async function complete(
  api: Client,
  { campaignId, leaseToken }: Pick<Lease, "campaignId" | "leaseToken">,
  next: number | null,
): Promise<void> {
  try {
    await api.completeEvaluation({ path: { id: campaignId }, body: { leaseToken, nextEvaluationAt: next } });
  } catch (cause) {
    const refusal = refusalOf(cause);
    if (refusal === null) throw cause;
    if (isLost(refusal.reason)) throw new LeaseLost(refusal.reason, { cause });
    // The goal may have been archived, or the campaign ended meanwhile: then there is no next time.
    const mayBeOver = next !== null && cause instanceof TidingsError && cause.status === 400;
    if (!mayBeOver) throw cause;
    await complete(api, { campaignId, leaseToken }, null);
  }
}

/** Logs what was decided, does it, and gives the lease back. @throws LeaseLost where another one has it by now */
async function carryOut(agent: Agent, lease: Lease, found: Found): Promise<Acted> {
  const { api, everyHours } = agent;
  const logged = await logOnce(agent, lease, found);
  if (logged !== null) await reportUsage(api, logged);
  if (logged !== null && "decided" in found) await keepTranscript(api, logged, found.decided);
  const acted: Acted =
    logged === null ? { result: "nothing" } : await act(api, logged, lease, found.proposals);
  // A proposal has ended the lease, and kept the instant for when people have decided.
  if (acted.result === "proposed") return acted;
  await releaseFor(agent, lease, everyHours);
  return acted;
}

/**
 * Gives a lease back whose evaluation broke off before it was decided, so that what fails each time does not use up the day's
 * evaluations. The server may not answer at all; then the lease runs out.
 */
async function giveUp(agent: Agent, lease: Lease): Promise<void> {
  const { api, clock, signal, everyHours } = agent;
  try {
    if (signal.aborted) await complete(api, lease, clock() + SOONEST_MS);
    else await releaseFor(agent, lease, Math.min(everyHours, HOURS_AFTER_FAULT));
  } catch {
    // What broke off the evaluation is what there is to say.
  }
}

/**
 * Evaluates one campaign: claims it, looks, decides, logs, acts, and gives the lease back. Ended at any point, it leaves a lease that runs
 * out, and who claims next acts on the decision that was logged. Answers what became of it. @throws what broke it off
 */
export async function evaluate(agent: Agent, campaignId: string): Promise<Evaluated> {
  const lease = await claim(agent, campaignId);
  if ("reason" in lease) return { campaignId, result: "unclaimed", reason: lease.reason };
  let found: Found;
  try {
    found = await decideOnce(agent, lease);
  } catch (cause) {
    await giveUp(agent, lease);
    if (!agent.signal.aborted) throw cause;
    return { campaignId, result: "stopped" };
  }
  try {
    return { campaignId, ...(await carryOut(agent, lease, found)) };
  } catch (cause) {
    // From here on a fault leaves the lease to run out: who claims next carries out what was logged, if it was.
    if (cause instanceof LeaseLost) return { campaignId, result: "lost" };
    throw cause;
  }
}
