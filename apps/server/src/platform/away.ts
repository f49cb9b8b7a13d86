import { type Clock, MINUTE_MS, SECOND_MS } from "./clock.ts";

const AWAY_MS = 5 * SECOND_MS;
const MAX_AWAY_MS = 5 * MINUTE_MS;

/** Servers of others, by a key of the caller's, that are left alone for a while. */
export type Away = {
  /** Until when, epoch ms; 0 where it is not left alone. */
  until(key: string): number;
  /** Notes that it cannot be reached, twice as long each time, or asked for a pause of some milliseconds. */
  leaveAlone(key: string, askedMs?: number): void;
  /** Notes that it answered. */
  isBack(key: string): void;
};

/** Remembers who cannot be reached, in this process. */
export function createAway(clock: Clock): Away {
  const away = new Map<string, { until: number; times: number }>();
  return {
    until: (key) => away.get(key)?.until ?? 0,
    leaveAlone(key, askedMs) {
      const now = clock();
      const before = away.get(key);
      if (before !== undefined && before.until > now) return;
      const times = (before?.times ?? 0) + 1;
      const pause = Math.min(askedMs ?? AWAY_MS * 2 ** (times - 1), MAX_AWAY_MS);
      away.set(key, { until: now + pause, times });
    },
    isBack: (key) => void away.delete(key),
  };
}
