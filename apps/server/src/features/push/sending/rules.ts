import { isFarAhead } from "../../../platform/time/far-ahead.ts";
import type { PushReply } from "../providers/reply.pure.ts";
import type { Closed, WaitReason } from "./schema.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Submissions of one slot, over all generations of its target. */
export const MAX_SUBMISSIONS = 3;
/** Recipients and slots that wait are re-evaluated at least this often. */
export const REEVALUATE_MS = 30 * SECOND_MS;
/** After how long a provider is asked again that took neither the credential nor the token, one of which is wrong. */
export const TRY_AGAIN_MS = 60 * MINUTE_MS;
/** How long a reservation is valid. An attempt without an outcome by then is recorded as unknown. */
export const RESERVATION_MS = 30 * SECOND_MS;
/** The longest that handing over one push takes. A reservation with less time left is released. */
export const HANDOVER_MS = 11 * SECOND_MS;

/**
 * What has to change before a slot is tried again. `credential`: the credential; it is asked again once its provider no longer refuses
 * it. `token`: the credential or the token, which do not belong together; it is tried again after an hour, as some providers refuse
 * what they take a little later. `payload`: the credential or the words.
 */
export type Repair =
  | { kind: "credential" | "token"; credentialRevision: number }
  | { kind: "payload"; credentialRevision: number; campaignFingerprint: string };

/** The fields of a slot that the rules read. Instants are epoch milliseconds. */
export type SlotState = {
  isTest: boolean;
  /** Attempts so far, including the one in flight. */
  attempts: number;
  submissionsUsed: number;
  possibleSubmissions: number;
  blocks: number;
  uncertain: boolean;
  authRefreshRevision: number | null;
  submissionNotBefore: number;
  repair: Repair | null;
  expiresAt: number;
};

/** What a target was made from: it is compared with the current values. */
export type Captured = {
  fingerprint: string;
  credentialId: string;
  credentialRevision: number;
  tokenRevision: number;
};

/** What the rules compare a due slot with. The current binding is null where the installation was deleted with an erased user. */
export type Surroundings = {
  now: number;
  /** When its newest attempt began; null where there is none. */
  attemptedAt: number | null;
  bindingGeneration: { captured: number; current: number | null };
  selectedBy: { captured: string; current: string };
  isReplaced: boolean;
  captured: Captured;
  /** Null where the credential is missing. */
  current: Captured | null;
  /** What the credential lets leave, as its provider answered so far. */
  way: CredentialAllowance;
  /** Why the device cannot be sent to, or null. */
  deviceFault: WaitReason | null;
};

export type SlotVerdict =
  | { kind: "close"; reason: Closed }
  | { kind: "wait"; reason: WaitReason; until: number; repair: Repair | null }
  | { kind: "send"; isNewTarget: boolean };

/**
 * What a credential lets leave: everything (`open`), what it was not refused for (`suspected`), or nothing (`held`). A `probe` leaves
 * whatever was refused.
 */
export type CredentialAllowance = "open" | "suspected" | "barred" | "probe";

/** Whether what a slot's repair names is still as it was. */
function isBroken(
  repair: Repair,
  { captured, way, attemptedAt, now }: Surroundings,
  current: Captured,
): boolean {
  const isOverdue =
    attemptedAt !== null && (now - attemptedAt >= TRY_AGAIN_MS || isFarAhead(attemptedAt, now, 0));
  if (current.credentialRevision > repair.credentialRevision) return false;
  switch (repair.kind) {
    case "credential":
      return way === "suspected" || way === "barred";
    case "token":
      return current.tokenRevision === captured.tokenRevision && !isOverdue;
    case "payload":
      return repair.campaignFingerprint === current.fingerprint;
  }
}

/** Why a slot ends, whatever the state of its device; null where it goes on. */
function closing(slot: SlotState, around: Surroundings): Closed | null {
  const { bindingGeneration: binding, selectedBy, captured, current } = around;
  if (around.now >= slot.expiresAt) return "expired";
  if (binding.current !== binding.captured) return "binding_changed";
  if (selectedBy.captured !== selectedBy.current) return "edited";
  // The device may already show the earlier content, so another content would not be a retry but a second message.
  if (slot.possibleSubmissions > 0 && current !== null && captured.fingerprint !== current.fingerprint)
    return "edited";
  if (around.isReplaced) return "replaced";
  return null;
}

/** Decides whether a due slot is sent, waits or ends. */
export function judge(slot: SlotState, around: Surroundings): SlotVerdict {
  const reason = closing(slot, around);
  if (reason !== null) return { kind: "close", reason };
  const { now, captured, current } = around;
  const wait = (why: WaitReason, until = now + REEVALUATE_MS, repair = slot.repair): SlotVerdict => ({
    kind: "wait",
    reason: why,
    repair,
    until: Math.min(until, now + REEVALUATE_MS, slot.expiresAt),
  });
  if (around.deviceFault !== null) return wait(around.deviceFault);
  if (current === null) return wait("credential");
  // A person tries a credential out with a test, which therefore always leaves.
  if (around.way === "barred" && !slot.isTest) return wait("credential");
  if (slot.repair !== null && isBroken(slot.repair, around, current))
    return wait(slot.repair.kind === "payload" ? "campaign_not_ready" : "credential");
  // A pause that a clock began which was ahead would last for as much longer.
  const isPauseKnown = around.attemptedAt === null || !isFarAhead(around.attemptedAt, now, 0);
  if (isPauseKnown && now < slot.submissionNotBefore)
    return wait("retry_backoff", slot.submissionNotBefore, null);
  const isNewTarget =
    captured.fingerprint !== current.fingerprint ||
    captured.credentialId !== current.credentialId ||
    captured.credentialRevision !== current.credentialRevision ||
    captured.tokenRevision !== current.tokenRevision;
  return { kind: "send", isNewTarget };
}

/** How long to wait after the first, second, … submission without acceptance. */
const RETRY_AFTER_MS = [15 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
/** How long to wait after a push that did not leave: twice as long each time, up to the maximum. */
const BLOCKED_MS = 5 * SECOND_MS;
const MAX_BLOCKED_MS = 5 * MINUTE_MS;
/** The longest wait that a provider may ask for. */
const MAX_RETRY_AFTER_MS = 24 * 60 * MINUTE_MS;
/** Varies the wait by up to a fifth, so that pushes that failed together are not retried together. */
const JITTER = 0.2;

export type Submission = "none" | "confirmed" | "possible";

/**
 * The result of an attempt: a provider's reply, or why it never left: too large, its campaign was stopped or changed, or its credential
 * was refused meanwhile.
 */
export type AttemptReply =
  | PushReply
  | { kind: "blocked"; code: string; class: "payload" | "campaign" | "barred"; retryAfterMs?: number };

/** The next state of a slot after an outcome. */
export type SlotTransition = {
  submission: Submission;
  state: "ready" | "waiting" | "accepted" | "closed";
  reason: WaitReason | Closed | null;
  /** When the slot is due, epoch ms; without meaning where the slot has ended. */
  at: number;
  slot: SlotState;
  /** Whether the token is taken from the installation, and whether the credential may be to blame for that. Null: it stays. */
  endsToken: { isDoubtful: boolean } | null;
};

/**
 * The instant of an outcome, a uniform random number from 0 to 1 (excluded), what the attempt was made from, and whether the provider
 * has accepted a push under this revision of the credential: before that, the credential may be wrong.
 */
export type Circumstances = { now: number; chance: number; captured: Captured; isProven: boolean };

const jittered = (ms: number, chance: number): number => Math.round(ms * (1 - JITTER + 2 * JITTER * chance));

function counted(slot: SlotState, submission: Submission): SlotState {
  return {
    ...slot,
    submissionsUsed: slot.submissionsUsed + (submission === "none" ? 0 : 1),
    possibleSubmissions: slot.possibleSubmissions + (submission === "possible" ? 1 : 0),
    uncertain: slot.uncertain || submission === "possible",
  };
}

/** Submissions that a slot may have: a test has one. */
export const submissionLimit = ({ isTest }: Pick<SlotState, "isTest">): number =>
  isTest ? 1 : MAX_SUBMISSIONS;

/** The next state of a slot that was not accepted: it waits until `notBefore` (epoch ms), or ends. */
function goOn(
  slot: SlotState,
  { now }: Circumstances,
  why: { submission: Submission; reason: WaitReason; notBefore: number },
): Omit<SlotTransition, "endsToken"> {
  const { submission, reason } = why;
  const isSpent = slot.submissionsUsed >= submissionLimit(slot);
  if (isSpent || slot.isTest) {
    const ended: Closed = slot.uncertain
      ? "uncertain"
      : isSpent && !slot.isTest
        ? "submissions_spent"
        : "rejected";
    return { submission, state: "closed", reason: ended, at: now, slot };
  }
  const submissionNotBefore = Math.max(slot.submissionNotBefore, why.notBefore);
  const at = Math.min(Math.max(submissionNotBefore, now), now + REEVALUATE_MS, Math.max(slot.expiresAt, now));
  return { submission, state: "waiting", reason, at, slot: { ...slot, submissionNotBefore } };
}

type Rejected = Extract<AttemptReply, { kind: "rejected" }>;
type Blocked = Extract<AttemptReply, { kind: "blocked" }>;

/** The step of a slot that waits for what its repair names. */
function mend(
  slot: SlotState,
  repair: Repair,
  submission: Submission,
  around: Circumstances,
): SlotTransition {
  const reason = repair.kind === "payload" ? "campaign_not_ready" : "credential";
  const after = { ...counted(slot, submission), repair };
  return { ...goOn(after, around, { submission, reason, notBefore: around.now }), endsToken: null };
}

/** The step of a slot whose credential was refused, or may be wrong: it costs no submission, and no token. */
const blameCredential = (
  slot: SlotState,
  around: Circumstances,
  kind: "credential" | "token" = "credential",
): SlotTransition =>
  mend(slot, { kind, credentialRevision: around.captured.credentialRevision }, "none", around);

/** The step of a slot whose token is of no use. */
function endToken(slot: SlotState, isDoubtful: boolean, around: Circumstances): SlotTransition {
  const why = { submission: "confirmed", reason: "no_token", notBefore: around.now } as const;
  return { ...goOn(counted(slot, "confirmed"), around, why), endsToken: { isDoubtful } };
}

const payloadRepair = ({ captured: { credentialRevision, fingerprint } }: Circumstances): Repair => ({
  kind: "payload",
  credentialRevision,
  campaignFingerprint: fingerprint,
});

/** When to try again, epoch ms: after our own pause, or the one that the provider asked for where that is longer. */
const later = (pauseMs: number, requestedMs: number | undefined, { now, chance }: Circumstances): number =>
  now + Math.max(jittered(pauseMs, chance), Math.min(requestedMs ?? 0, MAX_RETRY_AFTER_MS));

/** The step of a slot whose submission may be repeated after a pause. */
function retry(
  slot: SlotState,
  submission: Submission,
  requestedMs: number | undefined,
  around: Circumstances,
): SlotTransition {
  const after = counted(slot, submission);
  const notBefore = later(RETRY_AFTER_MS[after.submissionsUsed - 1] ?? 0, requestedMs, around);
  return { ...goOn(after, around, { submission, reason: "retry_backoff", notBefore }), endsToken: null };
}

function afterBlocked(slot: SlotState, reply: Blocked, around: Circumstances): SlotTransition {
  const after = { ...slot, blocks: slot.blocks + 1 };
  if (reply.class === "credential" || reply.class === "barred") return blameCredential(after, around);
  if (reply.class === "payload") return mend(after, payloadRepair(around), "none", around);
  // Should the key come back with which the browser subscribed, so does its token. Where it stays, it is not asked again at once.
  if (reply.class === "token_outdated") {
    const step = blameCredential(after, around, "token");
    const reason = step.state === "waiting" ? "no_token" : step.reason;
    return { ...step, reason, endsToken: { isDoubtful: true } };
  }
  // The next lease decides by the state of the campaign then.
  if (reply.class === "campaign") {
    const base = { submission: "none", state: "ready", reason: null, at: around.now } as const;
    return { ...base, slot: after, endsToken: null };
  }
  const pause = Math.min(BLOCKED_MS * 2 ** Math.min(slot.blocks, 10), MAX_BLOCKED_MS);
  const notBefore = later(pause, reply.retryAfterMs, around);
  const why = { submission: "none", reason: "retry_backoff", notBefore } as const;
  return { ...goOn(after, around, why), endsToken: null };
}

function afterRejected(slot: SlotState, reply: Rejected, around: Circumstances): SlotTransition {
  const { now, captured, isProven } = around;
  switch (reply.class) {
    case "auth_expired": {
      // The provider refused the bearer before it read the push: nothing was submitted.
      if (slot.isTest || slot.authRefreshRevision === captured.credentialRevision)
        return blameCredential(slot, around);
      const refreshed = { ...slot, authRefreshRevision: captured.credentialRevision };
      const base = { submission: "none", state: "ready", reason: null, at: now } as const;
      return { ...base, slot: refreshed, endsToken: null };
    }
    case "credential":
      return blameCredential(slot, around);
    case "token_foreign":
      return blameCredential(slot, around, isProven ? "token" : "credential");
    case "token_doubtful":
      return isProven ? endToken(slot, true, around) : blameCredential(slot, around);
    case "token_invalid":
      return endToken(slot, !isProven, around);
    case "payload":
      return mend(slot, payloadRepair(around), "confirmed", around);
    case "throttled":
    case "server":
      return retry(slot, "confirmed", reply.retryAfterMs, around);
  }
}

/** The step that a reply causes. `slot` is the state when it was reserved. */
export function afterReply(slot: SlotState, reply: AttemptReply, around: Circumstances): SlotTransition {
  switch (reply.kind) {
    case "accepted": {
      const base = { submission: "confirmed", state: "accepted", reason: null, at: around.now } as const;
      return { ...base, slot: { ...counted(slot, "confirmed"), repair: null }, endsToken: null };
    }
    case "unknown":
      return retry(slot, "possible", undefined, around);
    case "blocked":
      return afterBlocked(slot, reply, around);
    case "rejected":
      return afterRejected(slot, reply, around);
  }
}

/** The reply that is recorded for a push that was not handed over because its reservation had not enough time left. */
export const EXPIRED: AttemptReply = { kind: "blocked", code: "reservation_expired", class: "connection" };
/** The reply that is recorded for a push that is larger than its provider allows. */
export const TOO_LARGE: AttemptReply = { kind: "blocked", code: "PayloadTooLarge", class: "payload" };
/** The reply that is recorded for a push whose campaign was paused, ended or changed after it was reserved. */
export const STOPPED: AttemptReply = { kind: "blocked", code: "campaign_stopped", class: "campaign" };
/** The reply that is recorded for a push whose credential was refused, for another push, after it was reserved. */
export const BARRED: AttemptReply = { kind: "blocked", code: "credential_refused", class: "barred" };
