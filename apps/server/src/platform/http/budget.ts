import { MINUTE_MS, SECOND_MS } from "../clock.ts";

const SDK_PER_MINUTE = 60_000;
const MANAGEMENT_PER_MINUTE = 1_200;

/** Requests per minute and project. SDK endpoints have one each; management operations share one per resource group. */
export const defaultBudgets = {
  identify: SDK_PER_MINUTE,
  track: SDK_PER_MINUTE,
  track_batch: SDK_PER_MINUTE,
  messages: SDK_PER_MINUTE,
  feedback: SDK_PER_MINUTE,
  campaigns: MANAGEMENT_PER_MINUTE,
  goals: MANAGEMENT_PER_MINUTE,
  media: MANAGEMENT_PER_MINUTE,
  events: MANAGEMENT_PER_MINUTE,
  runs: MANAGEMENT_PER_MINUTE,
  audiences: MANAGEMENT_PER_MINUTE,
  reports: MANAGEMENT_PER_MINUTE,
} as const;

export type Budget = keyof typeof defaultBudgets;

/** `parts` are 1/60,000 of a request: a millisecond brings back whole ones, so that no rounding ever adds up. */
type Bucket = { parts: number; atMs: number };

/** Takes one request from a project's budget; answers 0, or the whole seconds to wait. */
export type TakeBudget = (projectId: string, budget: Budget, nowMs: number) => number;

/** Token buckets in memory: a full minute's budget may be spent at once and comes back evenly. */
export function createBudgets(limits: Readonly<Record<string, number>> | "off"): TakeBudget {
  if (limits === "off") return () => 0;
  const perMinute: Readonly<Record<string, number>> = { ...defaultBudgets, ...limits };
  const buckets = new Map<string, Bucket>();
  return (projectId, budget, nowMs) => {
    const capacity = perMinute[budget] ?? MANAGEMENT_PER_MINUTE;
    const key = `${budget} ${projectId}`;
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { parts: capacity * MINUTE_MS, atMs: nowMs };
      buckets.set(key, bucket);
    }
    const back = Math.max(0, nowMs - bucket.atMs) * capacity;
    bucket.parts = Math.min(capacity * MINUTE_MS, bucket.parts + back);
    bucket.atMs = nowMs;
    if (bucket.parts >= MINUTE_MS) {
      bucket.parts -= MINUTE_MS;
      return 0;
    }
    return Math.ceil((MINUTE_MS - bucket.parts) / (capacity * SECOND_MS));
  };
}
