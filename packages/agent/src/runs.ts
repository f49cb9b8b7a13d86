import type { Answer, Client } from "@tidings/client";
import { beginningOf } from "@tidings/client/text";
import { canonicalHash, canonicalJson } from "./canonical.ts";
import type { Decided, Decision, Usage } from "./policy.ts";
import type { Snapshot } from "./snapshot.ts";

export type Run = Answer<"createAgentRun">["run"];

/** What a run says that this program logged. */
export type Logged = {
  snapshot: Snapshot;
  snapshotHash: string;
  policy: string;
  decision: Decision;
  usage: Usage | null;
  transcriptHash: string | null;
};

/** A run that this program logged, and what it says. */
export type LoggedRun = { run: Run; logged: Logged };

/** What a run carries at most as its output, in bytes of JSON. */
const MAX_OUTPUT = 16_000;
/** More than any e-value: no evidence suffices for a variant that has no place in its goal's order. */
const NEVER_ENOUGH = 1e15;
/** As many runs as one evaluation an hour makes in a day, and one more. */
const RECENT = 25;

/** What a run takes as its rationale, in code points. */
const MAX_RATIONALE = 2_000;

const rationaleOf = (text: string): string => beginningOf(text, MAX_RATIONALE);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a run says, or null where another program logged it: it may say anything, so what acting on it reads is looked at here. */
export function loggedOf({ input, output }: Pick<Run, "input" | "output">): Logged | null {
  if (!isObject(input) || !isObject(output)) return null;
  const { snapshot, snapshotHash, policy } = input;
  const { decision, usage = null, transcriptHash = null } = output;
  if (!isObject(snapshot) || !isObject(decision) || typeof policy !== "string") return null;
  const { campaignId, evaluationAt, goal } = snapshot;
  if (typeof campaignId !== "string" || typeof evaluationAt !== "number") return null;
  if (!isObject(goal) || typeof goal.id !== "string") return null;
  const { action, mutation, reason } = decision;
  if (typeof action !== "string" || typeof reason !== "string") return null;
  if (mutation !== null && !isObject(mutation)) return null;
  return { snapshot, snapshotHash, policy, decision, usage, transcriptHash } as Logged;
}

/** The newest evaluations of a campaign that this program logged, newest first. */
export async function recentRuns(api: Client, campaignId: string): Promise<LoggedRun[]> {
  const { runs } = await api.listAgentRuns({ query: { campaignId, kind: "evaluate", perPage: RECENT } });
  return runs.flatMap((run) => {
    const logged = loggedOf(run);
    return logged === null ? [] : [{ run, logged }];
  });
}

/** A decision as it is logged; one that is too large for a run is not made. */
function outputOf({ decision, usage, transcript }: Decided): Record<string, unknown> {
  const transcriptHash = transcript.at(-1)?.hash;
  const output = { decision, usage, ...(transcriptHash === undefined ? {} : { transcriptHash }) };
  if (Buffer.byteLength(canonicalJson(output)) <= MAX_OUTPUT) return output;
  const reason = "What was decided is too large to be logged, so it is not done.";
  return { ...output, decision: { action: "nothing", mutation: null, reason } satisfies Decision };
}

/**
 * Logs a decision before anything is done about it. Answers the run of this evaluation: where another one has logged before, it is that
 * one's, so that an evaluation has one decision. Null where another program has used the place.
 */
export async function logDecision(
  api: Client,
  policy: string,
  snapshot: Snapshot,
  decided: Decided,
): Promise<LoggedRun | null> {
  const { campaignId, evaluationAt, goal } = snapshot;
  const output = outputOf(decided);
  const { run } = await api.createAgentRun({
    body: {
      kind: "evaluate",
      campaignId,
      goalId: goal.id,
      output,
      input: { snapshot, snapshotHash: canonicalHash(snapshot), policy, seed: null },
      rationale: rationaleOf((output.decision as Decision).reason),
      idempotencyKey: `evaluate:${campaignId}:${evaluationAt}`,
    },
  });
  const logged = loggedOf(run);
  return logged === null ? null : { run, logged };
}

/** Keeps the transcript of a decision beside its run, unless the run is that of another decision. */
export async function keepTranscript(
  api: Client,
  { run, logged }: LoggedRun,
  { transcript }: Decided,
): Promise<void> {
  if (transcript.length > 0 && logged.transcriptHash === transcript.at(-1)?.hash)
    await api.putAgentRunTranscript({ path: { id: run.id }, body: { entries: transcript } });
}

/** A change that was refused, as people find it among the runs. */
export async function logRefusal(
  api: Client,
  { run, logged: { snapshot } }: LoggedRun,
  refusal: { error: string; body: Record<string, unknown> },
): Promise<void> {
  const { campaignId, evaluationAt, goal } = snapshot;
  const { reason, guardrail, limit, observed, field, phrase, variantId, eValueNeeded } = refusal.body;
  await api.createAgentRun({
    body: {
      kind: "refused",
      campaignId,
      goalId: goal.id,
      input: { runId: run.id, evaluationAt },
      output: { reason, guardrail, limit, observed, field, phrase, variantId, eValueNeeded },
      rationale: rationaleOf(`Refused: ${refusal.error}`),
      idempotencyKey: `refused:${campaignId}:${evaluationAt}`,
    },
  });
}

/** The evidence that verdicts were refused for in the last days, by variant: `eValueNeeded` of the newest refusal. */
export async function neededEvidence(
  api: Client,
  campaignId: string,
  since: number,
): Promise<Map<string, number>> {
  const { runs } = await api.listAgentRuns({ query: { campaignId, kind: "refused", perPage: RECENT } });
  const needed = new Map<string, number>();
  for (const { output, createdAt } of runs) {
    if (!isObject(output) || createdAt < since) continue;
    const { reason, variantId, eValueNeeded } = output;
    if (reason !== "insufficient_evidence" || typeof variantId !== "string" || needed.has(variantId))
      continue;
    needed.set(variantId, typeof eValueNeeded === "number" ? eValueNeeded : NEVER_ENOUGH);
  }
  return needed;
}
