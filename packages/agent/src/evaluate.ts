import { type Answer, type Client, TidingsError } from "@tidings/client";
import { type Acted, act, isLost, LeaseLost, refusalOf } from "./act.ts";
import { type Lease, observe } from "./observe.ts";
import type { Policy } from "./policy.ts";
import { type LoggedRun, logDecision, recentRuns } from "./runs.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** The API wants a next evaluation at least 60 seconds ahead; the rest is for clocks that differ. */
const SOONEST_MS = 65 * SECOND_MS;
/** What an evaluation takes beside the policy's own time, in seconds. */
const BESIDE_POLICY_SECONDS = 120;
const LONGEST_LEASE_SECONDS = 3_600;
const PROPOSALS = 100;

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

type Proposals = Answer<"listProposals">["proposals"];

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

/** The decision of this evaluation: the one that was logged, by an agent that ended before it was done, or a new one, which is logged. */
async function decideOnce(agent: Agent, lease: Lease, proposals: Proposals): Promise<LoggedRun | null> {
  const { api, policy, clock, signal } = agent;
  const past = await recentRuns(api, lease.campaignId);
  const known = past.find(({ logged }) => logged.snapshot.evaluationAt === lease.nextEvaluationAt);
  if (known !== undefined) return known;
  const { snapshot, messages } = await observe(api, lease, { past, proposals, now: clock() });
  const decided = await policy.decide({ snapshot, messages, api, signal });
  return logDecision(api, policy.name, snapshot, decided);
}

/** Reports what asking a model used, under the run's id: an agent that goes on after a fault reports the same, and it is billed once. */
async function reportUsage(api: Client, { run, logged: { usage } }: LoggedRun): Promise<void> {
  if (usage === null || usage.calls.length === 0) return;
  const { calls, model } = usage;
  await api.recordAgentUsage({ body: { executionId: run.id, calls, model } });
}

/** When to look again, within the campaign's window; null where no instant is left. */
async function nextInstant({ api, everyHours, clock }: Agent, campaignId: string): Promise<number | null> {
  const { campaign } = await api.getCampaign({ path: { id: campaignId } });
  const now = clock();
  const last = campaign.deliverUntil === null ? Number.POSITIVE_INFINITY : campaign.deliverUntil - 1;
  const next = Math.min(now + everyHours * HOUR_MS, last);
  const isOver = ["ended", "expired"].includes(campaign.effectiveStatus);
  return isOver || next < now + SOONEST_MS ? null : next;
}

/** Gives the lease back. Where that is refused, the lease runs out, and the server knows whether there is a next time. */
async function complete(api: Client, { campaignId, leaseToken }: Lease, next: number | null): Promise<void> {
  try {
    await api.completeEvaluation({ path: { id: campaignId }, body: { leaseToken, nextEvaluationAt: next } });
  } catch (cause) {
    const refusal = refusalOf(cause);
    if (refusal === null) throw cause;
    if (isLost(refusal.reason)) throw new LeaseLost(refusal.reason, { cause });
    // The goal may have been archived, or the campaign ended meanwhile: then there is no next time.
    if (next !== null && cause instanceof TidingsError && cause.status === 400)
      await complete(api, { campaignId, leaseToken } as Lease, null);
  }
}

async function carryOut(agent: Agent, lease: Lease): Promise<Acted> {
  const { api } = agent;
  const { proposals } = await api.listProposals({
    query: { campaignId: lease.campaignId, perPage: PROPOSALS },
  });
  const found = await decideOnce(agent, lease, proposals);
  if (found === null) return { result: "nothing" };
  await reportUsage(api, found);
  return act(api, found, lease, proposals);
}

/**
 * Evaluates one campaign: claims it, looks, decides, logs, acts, and gives the lease back. Ended at any point, it leaves a lease that runs
 * out, and who claims next acts on the decision that was logged. Answers what became of it; throws where the server does not answer.
 */
export async function evaluate(agent: Agent, campaignId: string): Promise<Evaluated> {
  const { api, clock, signal } = agent;
  const lease = await claim(agent, campaignId);
  if ("reason" in lease) return { campaignId, result: "unclaimed", reason: lease.reason };
  try {
    const acted = await carryOut(agent, lease);
    // A proposal has ended the lease, and kept the instant for when people have decided.
    if (acted.result !== "proposed") await complete(api, lease, await nextInstant(agent, campaignId));
    return { campaignId, ...acted };
  } catch (cause) {
    if (cause instanceof LeaseLost) return { campaignId, result: "lost" };
    if (!signal.aborted) throw cause;
    await complete(api, lease, clock() + SOONEST_MS);
    return { campaignId, result: "stopped" };
  }
}
