import { isFarAhead } from "../../../platform/time/far-ahead.ts";
import { classifyRefusal, refusesAccess } from "../transport/mail-refusal.pure.ts";
import type { MailReply } from "../transport/reply.pure.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The start of the hour of an instant, epoch milliseconds. */
export const hourOf = (instant: number): number => instant - (instant % HOUR_MS);

/** How long a lease is valid. A message without a reply by then becomes unknown: no conversation with a server takes so long. */
export const LEASE_MS = 5 * MINUTE_MS;

/** How long to wait after the first, second, … deferral: six attempts over about a day. */
const RETRY_AFTER_MS = [2 * MINUTE_MS, 15 * MINUTE_MS, 90 * MINUTE_MS, 6 * HOUR_MS, 16 * HOUR_MS];
/** Varies the wait by up to a fifth, so that messages that were deferred together are not retried together. */
const JITTER = 0.2;

/** How long a message waits at most that was never deferred: for a confirmation of its address, or for the pace of its domain. */
const LONGEST_FIRST_MS = HOUR_MS;

/** The furthest ahead that a message may be due after no, one, two, … deferrals, in milliseconds. */
export const LONGEST_WAITS_MS: readonly number[] = [0, ...RETRY_AFTER_MS].map((after) =>
  Math.max(LONGEST_FIRST_MS, Math.ceil(after * (1 + JITTER))),
);

/**
 * When to try again after `deferrals` refusals (1 or more), or null when that was the last try.
 * @param chance a uniform number from 0 (included) to 1 (excluded)
 */
export function retryAt(deferrals: number, now: number, chance: number): number | null {
  const after = RETRY_AFTER_MS[deferrals - 1];
  return after === undefined ? null : now + Math.round(after * (1 - JITTER + 2 * JITTER * chance));
}

/**
 * Whether the server refused the connection or the sender, as it would for every further message. It is not about the recipient, and a
 * person may remove its cause.
 */
export function isInTheWay(reply: MailReply): boolean {
  if (reply.kind !== "deferred" && reply.kind !== "rejected") return false;
  if (reply.stage === "connection" || reply.stage === "sender") return true;
  return reply.kind === "rejected" && refusesAccess({ code: reply.code, text: reply.response });
}

/**
 * Whether a refusal says that the address is gone. Each message has one recipient, so a refusal after its data is about that one as well.
 * What is refused before a recipient is named is not about any.
 */
export function isGone(reply: MailReply): boolean {
  if (reply.kind !== "rejected" || isInTheWay(reply)) return false;
  return classifyRefusal({ code: reply.code, text: reply.response }) === "gone";
}

/** Whether a mail was not taken for a reason of its address that passes, such as a mailbox that is full. */
export function isPassing(reply: MailReply): boolean {
  if ((reply.kind !== "deferred" && reply.kind !== "rejected") || isInTheWay(reply)) return false;
  return classifyRefusal({ code: reply.code, text: reply.response }) === "later";
}

const MINUTE_US = 60_000_000;
/** After idle time, the messages of this much of it may leave at once. */
const CATCH_UP_US = 1_000_000;

/** How many messages may leave now, when the next one may (epoch microseconds), and the interval between messages. */
export type Permits = { granted: number; nextAt: number; intervalUs: number };

/**
 * How many of `wanted` messages may leave now, where at most `perMinute` leave in any minute (generic cell rate algorithm, ITU-T
 * I.371). The interval is slightly longer than needed, so that a burst after idle time stays within the limit of the minute. A `nextAt` that
 * was written by a clock that was ahead counts as now.
 */
export function takePermits(nextAt: number, nowMs: number, perMinute: number, wanted: number): Permits {
  const now = nowMs * 1_000;
  const intervalUs = Math.floor((MINUTE_US + CATCH_UP_US) / perMinute) + 1;
  const isKnown = !isFarAhead(nextAt / 1_000, nowMs, intervalUs / 1_000);
  const start = isKnown ? Math.max(nextAt, now - CATCH_UP_US) : now;
  const free = start > now ? 0 : Math.floor((now - start) / intervalUs) + 1;
  const granted = Math.min(wanted, free);
  return { granted, nextAt: start + granted * intervalUs, intervalUs };
}

/** The longest time that the pace of a domain defers a message, so that a raised limit takes effect by then. */
const MAX_AWAY_US = 10 * MINUTE_US;

/**
 * When messages that wait for the pace of their domain are due again: one interval after another, behind those deferred before.
 * @param spreadUntil the last instant given to an earlier message, microseconds @returns epoch milliseconds, and the new `spreadUntil`
 */
export function spreadOut(
  spreadUntil: number,
  nowMs: number,
  intervalUs: number,
  waiting: number,
): { dueAt: number[]; spreadUntil: number } {
  const now = nowMs * 1_000;
  let at = Math.max(spreadUntil, now);
  const dueAt = Array.from({ length: waiting }, () => {
    at += intervalUs;
    if (at > now + MAX_AWAY_US) at = now + intervalUs;
    return Math.ceil(at / 1_000);
  });
  return { dueAt, spreadUntil: at };
}

/**
 * The things, in their order, that may be taken: at most `perHour` of each hour, including the number `taken` of that hour before. A
 * thing without an hour is always taken.
 */
export function takeUp<Thing>(
  things: readonly Thing[],
  hourOf: (thing: Thing) => number | null,
  taken: ReadonlyMap<number, number>,
  perHour: number,
): Thing[] {
  const counts = new Map(taken);
  return things.filter((thing) => {
    const hour = hourOf(thing);
    if (hour === null) return true;
    const count = counts.get(hour) ?? 0;
    if (count >= perHour) return false;
    counts.set(hour, count + 1);
    return true;
  });
}
