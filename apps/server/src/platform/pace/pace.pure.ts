/** Where fewer requests come in a second, pieces are whole and follow each other without a rest. */
const QUIET_BELOW = 30;
/** The share of the time in which work that can wait is done beside requests: a quarter up to so many a second, then less, but never nothing. */
const MOST_SHARE = 1 / 4;
const MOST_SHARE_UNTIL = 100;
const LEAST_SHARE = 1 / 20;
/** A piece may have waited long for a lock: the rest behind it does not take as long. In milliseconds. */
const LONGEST_REST_MS = 3_000;

/** How a process does the next piece of work that can wait: after a rest (ms). `isQuiet`: there are hardly any requests to rest for. */
export type PiecePace = { isQuiet: boolean; restMs: number };

const shareBeside = (requestsPerSecond: number): number =>
  Math.max(LEAST_SHARE, MOST_SHARE * Math.min(1, MOST_SHARE_UNTIL / requestsPerSecond));

/** How to go on behind a piece that took so long (ms), beside so many requests. The more there are, the more time belongs to them. */
export function paceBeside(requestsPerSecond: number, tookMs: number): PiecePace {
  if (requestsPerSecond < QUIET_BELOW) return { isQuiet: true, restMs: 0 };
  const restMs = tookMs / shareBeside(requestsPerSecond) - tookMs;
  return { isQuiet: false, restMs: Math.min(restMs, LONGEST_REST_MS) };
}
