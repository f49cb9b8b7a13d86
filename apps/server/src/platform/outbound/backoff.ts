import { type Clock, MINUTE_MS, SECOND_MS } from "../clock.ts";

const FIRST_MS = 5 * SECOND_MS;
const LONGEST_MS = 5 * MINUTE_MS;

/** What this process leaves alone for a while, each by a key of the caller's: a mail server, a provider, a campaign. */
export type Backoffs = {
  /** Until when, epoch ms; 0 where it is not left alone. */
  until(key: string): number;
  /** Leaves it alone: twice as long each time, or for the milliseconds that it asked for; five minutes at most. */
  backOff(key: string, askedMs?: number): void;
  /** Forgets all that, because it works. */
  clear(key: string): void;
};

export function createBackoffs(clock: Clock): Backoffs {
  const backoffs = new Map<string, { until: number; times: number }>();
  return {
    until: (key) => backoffs.get(key)?.until ?? 0,
    backOff(key, askedMs) {
      const now = clock();
      const before = backoffs.get(key);
      if (before !== undefined && before.until > now) return;
      const times = (before?.times ?? 0) + 1;
      const pause = Math.min(askedMs ?? FIRST_MS * 2 ** (times - 1), LONGEST_MS);
      backoffs.set(key, { until: now + pause, times });
    },
    clear: (key) => void backoffs.delete(key),
  };
}
