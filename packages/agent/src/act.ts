import { type Answer, type Client, TidingsError } from "@tidings/client";
import { canonicalHash } from "./canonical.ts";
import type { Lease } from "./observe.ts";
import type { Mutation } from "./policy.ts";
import { type LoggedRun, logRefusal } from "./runs.ts";

type Proposal = Answer<"listProposals">["proposals"][number];

/** What became of a decision. `reason` is the word of a refusal. */
export type Acted =
  | { result: "applied" | "nothing" }
  | { result: "proposed"; proposalId: string }
  | { result: "refused"; reason: string };

/** A refusal of the API with the word that programs read; null for everything else, which is thrown on. */
export function refusalOf(cause: unknown): { reason: string; body: Record<string, unknown> } | null {
  if (!(cause instanceof TidingsError) || ![400, 403, 404, 409, 413].includes(cause.status)) return null;
  const body = (cause.body ?? {}) as Record<string, unknown>;
  return { reason: typeof body.reason === "string" ? body.reason : "refused", body };
}

/** Whether the lease is another one's by now: then nothing more may be done here. */
export const isLost = (reason: string): boolean => ["lease_lost", "evaluation_mismatch"].includes(reason);

/** A lease that ended before its work was done. */
export class LeaseLost extends Error {}

/** Calls, and turns a refusal into an answer. @throws LeaseLost where another one has the lease by now */
async function orRefusal<Answered>(call: Promise<Answered>): Promise<Answered | { refusal: TidingsError }> {
  try {
    return await call;
  } catch (cause) {
    const refusal = refusalOf(cause);
    if (refusal === null || !(cause instanceof TidingsError)) throw cause;
    if (isLost(refusal.reason)) throw new LeaseLost(refusal.reason, { cause });
    return { refusal: cause };
  }
}

/** What is carried out: a change, the approval that it has, and the run that says why. */
type Deed = { mutation: Mutation; approvalId?: string; runId: string };

/** The change to make now: what people have approved in this evaluation, else what was decided and not made yet. */
function deedOf({ run, logged }: LoggedRun, lease: Lease, proposals: readonly Proposal[]): Deed | null {
  const { campaignId, nextEvaluationAt: evaluationAt, applied } = lease;
  const ofNow = proposals.filter((each) => each.evaluationAt === evaluationAt);
  const approved = ofNow.find(({ state }) => state === "approved");
  if (approved !== undefined)
    return {
      mutation: approved.mutation,
      approvalId: approved.id,
      runId: approved.proposedRunId ?? run.id,
    };
  const { mutation } = logged.decision;
  if (mutation === null) return null;
  const hash = canonicalHash({ campaignId, evaluationAt, mutation });
  const isDone = [...applied, ...ofNow].some(({ payloadHash }) => payloadHash === hash);
  return isDone ? null : { mutation, runId: run.id };
}

/**
 * Carries out what was decided, or proposes it where people have to approve. Made to be repeated: what was applied or decided by people
 * in this evaluation is left as it is. @throws LeaseLost where another one has the lease by now
 */
export async function act(
  api: Client,
  found: LoggedRun,
  lease: Lease,
  proposals: readonly Proposal[],
): Promise<Acted> {
  const deed = deedOf(found, lease, proposals);
  if (deed === null) return { result: lease.applied.length > 0 ? "applied" : "nothing" };
  const { campaignId, leaseToken, nextEvaluationAt: evaluationAt } = lease;
  const { mutation, runId, approvalId } = deed;
  const change = { leaseToken, evaluationAt, mutation };
  const mutated = await orRefusal(
    api.mutateCampaign({
      path: { id: campaignId },
      body: { ...change, runId, ...(approvalId === undefined ? {} : { approvalId }) },
    }),
  );
  if (!("refusal" in mutated)) return { result: "applied" };
  let { refusal } = mutated;
  if (refusalOf(refusal)?.reason === "approval_required") {
    const proposed = await orRefusal(
      api.createProposal({ body: { ...change, campaignId, proposedRunId: runId } }),
    );
    if (!("refusal" in proposed)) return { result: "proposed", proposalId: proposed.proposal.id };
    ({ refusal } = proposed);
  }
  const { reason = "refused", body = {} } = refusalOf(refusal) ?? {};
  await logRefusal(api, found, { error: refusal.message, body: { ...body, reason } });
  return { result: "refused", reason };
}
