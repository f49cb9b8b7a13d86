import type { Reply } from "../transport/reply.pure.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a lease stands. What became of a message that has no reply by then is unknown: no conversation with a server takes so long. */
export const LEASE_MS = 5 * MINUTE_MS;

/** How long to wait after the first, second, … refusal for now: six tries over about a day. */
const RETRY_AFTER_MS = [2 * MINUTE_MS, 15 * MINUTE_MS, 90 * MINUTE_MS, 6 * HOUR_MS, 16 * HOUR_MS];
/** Spreads retries over a fifth more or less, so that those refused together do not come back together. */
const JITTER = 0.2;

/**
 * When to try again after `deferrals` refusals (1 or more), or null when that was the last try.
 * @param chance a uniform number from 0 (included) to 1 (excluded)
 */
export function retryAt(deferrals: number, now: number, chance: number): number | null {
  const after = RETRY_AFTER_MS[deferrals - 1];
  return after === undefined ? null : now + Math.round(after * (1 - JITTER + 2 * JITTER * chance));
}

/** Enhanced status codes (RFC 3463, 3.2 and 3.3) of an address that will never take mail. */
const NO_SUCH_ADDRESS = /\b5\.1\.(1|2|3|6|10)\b/;
const ENHANCED = /\b5\.\d{1,3}\.\d{1,3}\b/;

/** Whether a refusal says that the address does not exist: a permanent bounce. Without an enhanced code the reply code decides. */
export function isBadAddress(reply: Reply): boolean {
  if (reply.kind !== "rejected" || reply.stage !== "recipient") return false;
  if (ENHANCED.test(reply.response)) return NO_SUCH_ADDRESS.test(reply.response);
  return reply.code === 550 || reply.code === 551 || reply.code === 553;
}

const MINUTE_US = 60_000_000;
/** How much of an idle time may be made up for at once. */
const CATCH_UP_US = 1_000_000;

/** A pace: when the next message may leave, in microseconds of the epoch. */
export type Permits = { granted: number; nextAt: number; intervalUs: number };

/**
 * How many of some messages may leave now, where at most `perMinute` leave in any minute (generic cell rate algorithm, ITU-T I.371,
 * with the interval stretched so that what is made up for at once stays within the minute's number).
 */
export function takePermits(nextAt: number, nowMs: number, perMinute: number, wanted: number): Permits {
  const now = nowMs * 1_000;
  const intervalUs = Math.floor((MINUTE_US + CATCH_UP_US) / perMinute) + 1;
  const start = Math.max(nextAt, now - CATCH_UP_US);
  const free = start > now ? 0 : Math.floor((now - start) / intervalUs) + 1;
  const granted = Math.min(wanted, free);
  return { granted, nextAt: start + granted * intervalUs, intervalUs };
}

/** Longest time that a message is told to stay away because its recipient's domain has had enough: a new limit is met by then. */
const MAX_AWAY_US = 10 * MINUTE_US;

/**
 * When messages that have to wait for their domain's pace shall ask again, one interval after the other.
 * @param toldUntil up to when earlier ones were told, microseconds @returns epoch milliseconds, and the new `toldUntil`
 */
export function spreadOut(
  toldUntil: number,
  nowMs: number,
  intervalUs: number,
  waiting: number,
): { dueAt: number[]; toldUntil: number } {
  const now = nowMs * 1_000;
  let at = Math.max(toldUntil, now);
  const dueAt = Array.from({ length: waiting }, () => {
    at += intervalUs;
    if (at > now + MAX_AWAY_US) at = now + intervalUs;
    return Math.ceil(at / 1_000);
  });
  return { dueAt, toldUntil: at };
}

/**
 * Those of some things that may be taken up, in their order, where at most `perHour` of each hour are; `taken` are those of before, by
 * hour. What has no hour is always taken.
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
