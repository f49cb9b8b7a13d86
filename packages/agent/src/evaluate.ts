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
/** After a fault a campaign is looked at again this soon, or sooner where it is anyway. */
const HOURS_AFTER_FAULT = 1;
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

/** The decision of an evaluation and its run, null where another program has logged it; and the campaign's proposals. */
type Decided = { found: LoggedRun | null; proposals: Answer<"listProposals">["proposals"] };

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
async function decideOnce(agent: Agent, lease: Lease): Promise<Decided> {
  const { api, policy, clock, signal } = agent;
  const { campaignId, nextEvaluationAt } = lease;
  const { proposals } = await api.listProposals({ query: { campaignId, perPage: PROPOSALS } });
  const past = await recentRuns(api, campaignId);
  const known = past.find(({ logged }) => logged.snapshot.evaluationAt === nextEvaluationAt);
  if (known !== undefined) return { found: known, proposals };
  const { snapshot, messages } = await observe(api, lease, { past, proposals, now: clock() });
  const decided = await policy.decide({ snapshot, messages, api, signal });
  return { found: await logDecision(api, policy.name, snapshot, decided), proposals };
}

/** Reports what asking a model used, under the run's id: an agent that goes on after a fault reports the same, and it is billed once. */
async function reportUsage(api: Client, { run, logged: { usage } }: LoggedRun): Promise<void> {
  if (usage === null || usage.calls.length === 0) return;
  const { calls, model } = usage;
  await api.recordAgentUsage({ body: { executionId: run.id, calls, model } });
}

/** The instant so many hours from now, within the campaign's window; null where none is left. */
async function nextInstant({ api, clock }: Agent, campaignId: string, hours: number): Promise<number | null> {
  const { campaign } = await api.getCampaign({ path: { id: campaignId } });
  const now = clock();
  const last = campaign.deliverUntil === null ? Number.POSITIVE_INFINITY : campaign.deliverUntil - 1;
  const next = Math.min(now + hours * HOUR_MS, last);
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

/** Does what was decided, and gives the lease back. @throws LeaseLost where another one has it by now */
async function carryOut(agent: Agent, lease: Lease, { found, proposals }: Decided): Promise<Acted> {
  const { api, everyHours } = agent;
  if (found !== null) await reportUsage(api, found);
  const acted: Acted = found === null ? { result: "nothing" } : await act(api, found, lease, proposals);
  // A proposal has ended the lease, and kept the instant for when people have decided.
  if (acted.result === "proposed") return acted;
  await complete(api, lease, await nextInstant(agent, lease.campaignId, everyHours));
  return acted;
}

/**
 * Gives a lease back whose evaluation broke off before it was decided, so that what fails each time does not use up the day's
 * evaluations. The server may not answer at all; then the lease runs out.
 */
async function giveUp(agent: Agent, lease: Lease): Promise<void> {
  const { api, clock, signal, everyHours } = agent;
  try {
    const next = signal.aborted
      ? clock() + SOONEST_MS
      : await nextInstant(agent, lease.campaignId, Math.min(everyHours, HOURS_AFTER_FAULT));
    await complete(api, lease, next);
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
  let decided: Decided;
  try {
    decided = await decideOnce(agent, lease);
  } catch (cause) {
    await giveUp(agent, lease);
    if (!agent.signal.aborted) throw cause;
    return { campaignId, result: "stopped" };
  }
  try {
    return { campaignId, ...(await carryOut(agent, lease, decided)) };
  } catch (cause) {
    // From here on a fault leaves the lease to run out: who claims next carries out what was logged.
    if (cause instanceof LeaseLost) return { campaignId, result: "lost" };
    throw cause;
  }
}
