import { MINUTE_MS, SECOND_MS } from "../../time/clock.ts";

const SDK_PER_MINUTE = 60_000;
const MANAGEMENT_PER_MINUTE = 1_200;
/** One transactional message a request: a hundred a second, which is beyond what mail of one sender takes. */
const SEND_PER_MINUTE = 6_000;

/** Requests per minute and project. SDK endpoints have one each; management operations share one per resource group. Transactional mail has its own. */
export const defaultBudgets = {
  identify: SDK_PER_MINUTE,
  identify_batch: SDK_PER_MINUTE,
  track: SDK_PER_MINUTE,
  track_batch: SDK_PER_MINUTE,
  intake: SDK_PER_MINUTE,
  messages: SDK_PER_MINUTE,
  feedback: SDK_PER_MINUTE,
  installations: SDK_PER_MINUTE,
  campaigns: MANAGEMENT_PER_MINUTE,
  goals: MANAGEMENT_PER_MINUTE,
  media: MANAGEMENT_PER_MINUTE,
  events: MANAGEMENT_PER_MINUTE,
  runs: MANAGEMENT_PER_MINUTE,
  audiences: MANAGEMENT_PER_MINUTE,
  agent: MANAGEMENT_PER_MINUTE,
  reports: MANAGEMENT_PER_MINUTE,
  push: MANAGEMENT_PER_MINUTE,
  sources: MANAGEMENT_PER_MINUTE,
  extracts: MANAGEMENT_PER_MINUTE,
  imports: MANAGEMENT_PER_MINUTE,
  webhooks: MANAGEMENT_PER_MINUTE,
  subscriptions: MANAGEMENT_PER_MINUTE,
  send: SEND_PER_MINUTE,
} as const;

export type Budget = keyof typeof defaultBudgets;

/** Requests per minute by budget; budgets that are not named keep their default. */
export type BudgetLimits = Readonly<Record<string, number>>;

/** Requests per minute of a budget. */
export const limitOf = (limits: BudgetLimits, budget: Budget): number =>
  limits[budget] ?? defaultBudgets[budget];

/** The part of a project's budget that is spent and has not come back yet, in 1/60,000 of a request. */
export type Spent = { projectId: string; budget: Budget; parts: number };

/** Parts are 1/60,000 of a request: a millisecond brings back whole ones, so that no rounding ever adds up. */
export const PARTS = MINUTE_MS;

/** Budgets counted in the memory of one process. */
export type Buckets = {
  /** Takes one request from a project's budget; answers 0, or the whole seconds to wait. */
  take(projectId: string, budget: Budget, nowMs: number): number;
  /** Adds what another process has counted. */
  add(spent: Spent, nowMs: number): void;
  /** Empties the buckets and answers what was in them, which is counted in the database from now on. */
  handOver(nowMs: number): Spent[];
};

/** What is spent of a budget, in parts, as of `atMs` (epoch milliseconds). */
export type BudgetBucket = { spent: number; atMs: number };

/** Subtracts from a bucket what has come back since its last use. */
export function refill(bucket: BudgetBucket, perMinute: number, nowMs: number): void {
  bucket.spent = Math.max(0, bucket.spent - Math.max(0, nowMs - bucket.atMs) * perMinute);
  bucket.atMs = nowMs;
}

/** Takes one request from a bucket that was refilled; answers 0, or the whole seconds to wait. */
export function takeOne(bucket: BudgetBucket, perMinute: number): number {
  const after = bucket.spent + PARTS;
  if (after <= perMinute * PARTS) {
    bucket.spent = after;
    return 0;
  }
  return Math.ceil((after - perMinute * PARTS) / (perMinute * SECOND_MS));
}

/** Token buckets in memory: a full minute's budget may be spent at once and comes back evenly. */
export function createBuckets(limits: BudgetLimits): Buckets {
  const buckets = new Map<string, BudgetBucket & { projectId: string; budget: Budget }>();

  function bucketAt(projectId: string, budget: Budget, perMinute: number, nowMs: number): BudgetBucket {
    const key = `${budget} ${projectId}`;
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { projectId, budget, spent: 0, atMs: nowMs };
      buckets.set(key, bucket);
    }
    refill(bucket, perMinute, nowMs);
    return bucket;
  }

  return {
    take(projectId, budget, nowMs) {
      const perMinute = limitOf(limits, budget);
      return takeOne(bucketAt(projectId, budget, perMinute, nowMs), perMinute);
    },
    add({ projectId, budget, parts }, nowMs) {
      const bucket = bucketAt(projectId, budget, limitOf(limits, budget), nowMs);
      bucket.spent = Math.max(0, bucket.spent + parts);
    },
    handOver(nowMs) {
      const spent = [...buckets.values()].map(({ projectId, budget }) => {
        const { spent: parts } = bucketAt(projectId, budget, limitOf(limits, budget), nowMs);
        return { projectId, budget, parts };
      });
      buckets.clear();
      return spent.filter(({ parts }) => parts > 0);
    },
  };
}
