import { BoundedMap } from "../remember.ts";
import { type Clock, MINUTE_MS, SECOND_MS } from "../time/clock.ts";
import { isDue } from "../time/far-ahead.ts";

const FIRST_MS = 5 * SECOND_MS;
const LONGEST_MS = 5 * MINUTE_MS;
/** Keys may have names in them that strangers choose. */
const MAX_KNOWN = 10_000;

/** Pauses of this process after failures, by a key of the caller's: a mail server, a provider, a campaign. */
export type Backoffs = {
  /** The end of the pause, epoch ms; 0 where there is none. */
  until(key: string): number;
  /** Begins a pause: twice as long each time, or `pauseMs` where the other side requested that; five minutes at most. */
  backOff(key: string, pauseMs?: number): void;
  /** Ends the pause and forgets the failures, because it works again. */
  clear(key: string): void;
};

export function createBackoffs(clock: Clock): Backoffs {
  const backoffs = new BoundedMap<{ until: number; times: number }>(MAX_KNOWN);
  /** The end of a pause that is not over. */
  function endOf(key: string): number {
    const { until } = backoffs.get(key) ?? { until: 0 };
    return isDue(until, clock(), LONGEST_MS) ? 0 : until;
  }

  return {
    until: endOf,
    backOff(key, pauseMs) {
      const now = clock();
      if (endOf(key) > now) return;
      const times = (backoffs.get(key)?.times ?? 0) + 1;
      const pause = Math.min(pauseMs ?? FIRST_MS * 2 ** (times - 1), LONGEST_MS);
      backoffs.set(key, { until: now + pause, times });
    },
    clear: (key) => void backoffs.delete(key),
  };
}
