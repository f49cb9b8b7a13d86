import { type Client, TidingsError } from "@tidings/client";
import { canonicalHash } from "./canonical.ts";
import { type Drafted, type Drafter, DraftFault, type SourceClaim } from "./drafters/drafter.ts";
import type { Usage } from "./policy.ts";

const SECOND_MS = 1_000;
/** What drafting takes beside the drafter's own time, in seconds, and the longest lease. */
const BESIDE_DRAFTER_SECONDS = 60;
const LONGEST_LEASE_SECONDS = 900;
/** How long a ref is left alone after a refusal that does not say when to ask again, and the longest that it is. */
const REST_MS = 60 * SECOND_MS;
/** Meanwhile it may bring what needs no model, such as the revert of what is drafted. */
const LONGEST_REST_MS = 10 * REST_MS;
const NOT_OFFERED = 501;
/** Answers that are about the caller, or pass: other refs would meet them too. */
const ABOUT_ALL = [401, 408, 429];

/** What drafts campaigns of one project from what its repositories bring. */
export type Writer = {
  api: Client;
  drafter: Drafter;
  /** Epoch milliseconds. */
  clock: () => number;
  /** Aborted when the program stops. */
  signal: AbortSignal;
  /** Refs that are left alone, with the instant until when: kept from one pass to the next. */
  resting: Map<string, number>;
};

/** What became of the work of a ref. */
export type Worked = { refId: string } & (
  | { result: "settled" | "stopped" }
  | { result: "drafted"; campaigns: string[] }
  | { result: "unclaimed" | "refused" | "failed"; reason: string }
);

/** A refusal of source work, and when to ask again (ms); null for everything else. */
function refusalOf(cause: unknown): { reason: string; retryAfterMs: number } | null {
  if (!(cause instanceof TidingsError) || ABOUT_ALL.includes(cause.status)) return null;
  if (cause.status >= 500 && cause.status !== 503) return null;
  const { retryAfterMs } = (cause.body ?? {}) as { retryAfterMs?: unknown };
  return {
    reason: cause.message,
    retryAfterMs:
      typeof retryAfterMs === "number"
        ? Math.min(Math.max(retryAfterMs, SECOND_MS), LONGEST_REST_MS)
        : REST_MS,
  };
}

/** Calls, and turns a refusal into an answer; the ref rests then. */
async function orRefusal<Answered>(
  { clock, resting }: Writer,
  refId: string,
  call: Promise<Answered>,
): Promise<Answered | { refusal: string }> {
  try {
    return await call;
  } catch (cause) {
    const refusal = refusalOf(cause);
    if (refusal === null) throw cause;
    resting.set(refId, clock() + refusal.retryAfterMs);
    return { refusal: refusal.reason };
  }
}

/** Reports what asking a model used, under an id of the claim: a repeat is billed once. */
async function reportUsage(
  { api }: Writer,
  { refId, expiresAt }: SourceClaim,
  usage: Usage | null,
): Promise<void> {
  if (usage === null || usage.calls.length === 0) return;
  const { calls, model } = usage;
  await api.recordAgentUsage({ body: { executionId: `draft:${refId}:${expiresAt}`, calls, model } });
}

/** Logs what a model wrote, with the transcript, before anything is done about it. */
async function logDraft({ api, drafter }: Writer, claim: SourceClaim, drafted: Drafted): Promise<void> {
  const { refId, fromSha, toSha, expiresAt } = claim;
  const { rationale, ops, usage, transcript } = drafted;
  const last = transcript.at(-1);
  if (last === undefined) return;
  const { run } = await api.createAgentRun({
    body: {
      kind: "draft",
      rationale,
      idempotencyKey: `draft:${refId}:${expiresAt}`,
      input: { refId, fromSha, toSha, drafter: drafter.name },
      output: { planHash: canonicalHash(ops), usage, transcriptHash: last.hash },
    },
  });
  await api.putAgentRunTranscript({ path: { id: run.id }, body: { entries: transcript } });
}

/** Writes drafts from what was claimed. A program that ends in between leaves a lease that runs out, and nothing half-written. */
async function carryOut(writer: Writer, claim: SourceClaim): Promise<Worked> {
  const { api, drafter, signal, resting } = writer;
  const { refId, leaseToken, sourceGeneration, fromSha, toSha, expiresAt } = claim;
  let drafted: Drafted;
  try {
    drafted = await drafter.draft(claim, signal);
  } catch (cause) {
    if (signal.aborted) return { refId, result: "stopped" };
    if (!(cause instanceof DraftFault)) throw cause;
    const { usage = null } = (cause.cause ?? {}) as { usage?: Usage | null };
    await reportUsage(writer, claim, usage);
    resting.set(refId, expiresAt);
    return { refId, result: "failed", reason: cause.message };
  }
  await reportUsage(writer, claim, drafted.usage);
  await logDraft(writer, claim, drafted);
  const { rationale, ops } = drafted;
  const body = { leaseToken, sourceGeneration, fromSha, toSha, rationale, ops };
  const done = await orRefusal(writer, refId, api.reconcileRef({ path: { refId }, body }));
  if ("refusal" in done) return { refId, result: "refused", reason: done.refusal };
  return { refId, result: "drafted", campaigns: done.campaigns.map(({ campaignId }) => campaignId) };
}

/** Claims the work of a ref, and does it. */
async function work(writer: Writer, refId: string): Promise<Worked> {
  const { api, drafter } = writer;
  const leaseSeconds = Math.min(
    Math.ceil(drafter.maxSeconds) + BESIDE_DRAFTER_SECONDS,
    LONGEST_LEASE_SECONDS,
  );
  const claimed = await orRefusal(writer, refId, api.claimRef({ path: { refId }, body: { leaseSeconds } }));
  if ("refusal" in claimed) return { refId, result: "unclaimed", reason: claimed.refusal };
  return claimed.state === "settled" ? { refId, result: "settled" } : carryOut(writer, claimed.claim);
}

/** What is due and does not rest; nothing where the server has no source work. */
async function findDue({ api, clock, resting }: Writer): Promise<string[]> {
  try {
    const { refs, loopPaused } = await api.listDueRefs();
    const now = clock();
    return loopPaused
      ? []
      : refs.map(({ refId }) => refId).filter((refId) => (resting.get(refId) ?? 0) <= now);
  } catch (cause) {
    if (cause instanceof TidingsError && cause.status === NOT_OFFERED) return [];
    throw cause;
  }
}

/**
 * Drafts campaigns from what repositories have brought, until nothing is left that may be claimed, the program stops, or `most` refs were
 * looked at; answers how many were worked on. @throws what is not about one ref
 */
export async function draftDue(
  writer: Writer,
  worked: (each: Worked) => void = () => undefined,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  const tried = new Map<string, number>();
  /** A ref that brings more than one claim takes is claimed again, but not for ever in one pass. */
  const MOST_OF_ONE = 50;
  let done = 0;
  for (;;) {
    const due = (await findDue(writer)).filter((refId) => (tried.get(refId) ?? 0) < MOST_OF_ONE);
    if (due.length === 0) return done;
    for (const refId of due) {
      if (writer.signal.aborted || done >= most) return done;
      tried.set(refId, (tried.get(refId) ?? 0) + 1);
      const each = await work(writer, refId);
      if (each.result !== "unclaimed") done += 1;
      worked(each);
    }
  }
}
