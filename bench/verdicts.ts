/**
 * `node bench/verdicts.ts [--goals 2000] [--campaigns 30] [--days 3] [--effects 0] [--budget 0.05]`: how often goals whose campaigns
 * `statistical@1` looks after every hour reach a wrong verdict, through the functions that server and agent call. `--effects` of the campaigns
 * have a variant that converts twice as well; `--budget none` is a goal without an error budget. Exits 1 above the budget.
 */
import { parseArgs } from "node:util";
import { alphaOf } from "../apps/server/src/features/agent/evaluations/rules.ts";
import { weightClaims } from "../apps/server/src/features/agent/evaluations/verdicts/verdict.pure.ts";
import { ALPHA } from "../apps/server/src/features/statistics/compare.pure.ts";
import type { Statistics } from "../apps/server/src/features/statistics/schema.ts";
import { mostLogE, sideOf } from "../apps/server/src/features/statistics/split.pure.ts";
import { numbersFrom } from "../apps/server/test/crash/random.ts";
import { SimulatedCampaign } from "../apps/server/test/statistics/simulate.ts";
import { decideStatistically } from "../packages/agent/src/policies/statistical-1.ts";
import type { Snapshot } from "../packages/agent/src/snapshot.ts";

const { values } = parseArgs({
  options: {
    goals: { type: "string", default: "2000" },
    campaigns: { type: "string", default: "30" },
    days: { type: "string", default: "3" },
    effects: { type: "string", default: "0" },
    budget: { type: "string", default: "0.05" },
    seed: { type: "string", default: "1" },
  },
});
const [GOALS, CAMPAIGNS, DAYS, EFFECTS] = [values.goals, values.campaigns, values.days, values.effects].map(
  Number,
) as [number, number, number, number];
const BUDGET = values.budget === "none" ? null : Number(values.budget);
const WANTED = 0.05;

const HOURS_A_DAY = 24;
const HOUR_MS = 3_600_000;
/** Users that a campaign meets in an hour, how many of them convert, and how much more where there is an effect. */
const USERS = 70;
const RATE = 0.05;
const LIFT = 1;
/** Campaigns of a goal begin one after the other, so that later ones know the verdicts about earlier ones. */
const HOURS_BETWEEN = 6;
/** A comparison is called better or worse from e = 20 on, so below that only the daily change of weights can be decided. */
const LEAST_LOG_E = Math.log(20);

const random = numbersFrom(Number(values.seed));
const IDS = ["v0", "v1"] as const;

/** A campaign with two variants, as the agent and the error budget see it. */
type Watched = {
  campaign: SimulatedCampaign;
  weights: number[];
  rates: number[];
  beganAt: number;
  alpha: number | null;
  eValueNeeded: number | null;
  lastAllocatedAt: number | null;
  isOver: boolean;
};

type Goal = { watched: Watched[]; verdicts: number; wrong: number };

function snapshotOf(each: Watched, { variants, sampleRatio }: Statistics, now: number): Snapshot {
  return {
    version: 1,
    takenAt: now,
    campaignId: "c",
    evaluationAt: now,
    channel: "web_inapp",
    status: "running",
    deliverUntil: null,
    statistics: null,
    goal: { id: "g", targetEvent: "e", attributionDays: 7, approvalMode: "auto", limits: {} },
    variants: variants.map(({ variantId, isControl, weight, matured, pending, comparison }) => ({
      id: variantId,
      isControl,
      weight,
      contentHash: "",
      matured,
      pending,
      comparison: comparison && {
        eValue: comparison.eValue,
        verdict: comparison.verdict,
        bestChance: comparison.bestChance,
        lower: comparison.relative.lower,
        upper: comparison.relative.upper,
        eValueNeeded: each.eValueNeeded,
      },
    })),
    sampleRatio: {
      eValue: sampleRatio.eValue,
      threshold: sampleRatio.threshold,
      mismatch: sampleRatio.mismatch,
    },
    lastAllocatedAt: each.lastAllocatedAt,
    appliedHashes: [],
    proposals: [],
  };
}

/** What the server does about a change of weights: it refuses a verdict without the evidence, and counts the others. */
function apply(goal: Goal, each: Watched, after: readonly number[]): boolean {
  const claims = weightClaims(
    IDS.map((variantId, index) => ({
      variantId,
      isControl: index === 0,
      before: each.weights[index] ?? 0,
      after: after[index] ?? 0,
    })),
  );
  // Without an error budget the agent's own rule is all that is asked.
  const alpha = each.alpha ?? ALPHA;
  const [compared] = each.campaign.judged().comparisons;
  for (const { is } of claims) {
    if (compared === undefined || sideOf(compared.splits, compared.logE, alpha) !== is) {
      each.eValueNeeded = 1 / alpha;
      return false;
    }
    const [trueOther = 0, trueRate = 0] = each.rates;
    goal.verdicts += 1;
    if (!(is === "better" ? trueRate > trueOther : trueRate < trueOther)) goal.wrong += 1;
    each.isOver = true;
  }
  return true;
}

function look(goal: Goal, each: Watched, now: number): void {
  const { lastAllocatedAt } = each;
  const mayMove = lastAllocatedAt === null || now - lastAllocatedAt >= HOURS_A_DAY * HOUR_MS;
  // What cannot be a verdict, nor a change of weights, needs no arithmetic: the decision is to do nothing.
  if (!mayMove && mostLogE(each.campaign.splits(), LEAST_LOG_E) < LEAST_LOG_E) return;
  const statistics = each.campaign.statistics();
  const { action, mutation } = decideStatistically(snapshotOf(each, statistics, now));
  // The run says when weights were moved by shares, also where that was nothing new.
  if (action === "allocate") each.lastAllocatedAt = now;
  if (mutation === null || !("variants" in mutation)) return;
  const after = IDS.map(
    (id, index) =>
      mutation.variants?.find((variant) => variant.id === id)?.weight ?? each.weights[index] ?? 0,
  );
  if (!apply(goal, each, after) || each.isOver) return;
  each.weights = after;
  each.campaign.setWeights(after);
}

function playGoal(): Goal {
  const goal: Goal = { watched: [], verdicts: 0, wrong: 0 };
  const hours = DAYS * HOURS_A_DAY;
  for (let hour = 0; hour < hours + CAMPAIGNS * HOURS_BETWEEN; hour++) {
    const t = goal.watched.length + 1;
    if (t <= CAMPAIGNS && hour >= (t - 1) * HOURS_BETWEEN) {
      // Those with an effect are spread over all.
      const hasEffect = Math.floor((t * EFFECTS) / CAMPAIGNS) > Math.floor(((t - 1) * EFFECTS) / CAMPAIGNS);
      goal.watched.push({
        campaign: new SimulatedCampaign(random, [50, 50]),
        weights: [50, 50],
        rates: [RATE, hasEffect ? RATE * (1 + LIFT) : RATE],
        beganAt: hour,
        alpha: BUDGET === null ? null : alphaOf(BUDGET, t, goal.verdicts),
        eValueNeeded: null,
        lastAllocatedAt: null,
        isOver: false,
      });
    }
    for (const each of goal.watched) {
      if (each.isOver || hour - each.beganAt >= hours) continue;
      each.campaign.grow(USERS, each.rates);
      look(goal, each, hour * HOUR_MS);
    }
  }
  return goal;
}

const begun = performance.now();
const goals = Array.from({ length: GOALS }, playGoal);
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
const wrong = mean(goals.map((goal) => (goal.wrong > 0 ? 1 : 0)));
const falseShare = mean(goals.map((goal) => goal.wrong / Math.max(1, goal.verdicts)));
const right = goals.reduce((sum, goal) => sum + goal.verdicts - goal.wrong, 0);
console.log(
  `${GOALS} goals of ${CAMPAIGNS} campaigns, ${EFFECTS} of them with an effect; ${DAYS} days of hourly looks; ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`,
);
console.log(`goals with a wrong verdict: ${percent(wrong)}`);
if (EFFECTS > 0) console.log(`effects that were found: ${percent(right / (GOALS * EFFECTS))}`);
const isReached = falseShare <= WANTED;
console.log(
  `${isReached ? "reached" : "MISSED "}  mean share of wrong verdicts: ${percent(falseShare)} (at most ${percent(WANTED)})`,
);
if (!isReached) process.exitCode = 1;
