import { hash } from "node:crypto";
import { DAY_MS } from "../../platform/time/clock.ts";
import { firstClaimsOf } from "./backtest.pure.ts";
import { chancesOfBest } from "./chances.pure.ts";
import {
  ALPHA,
  type Allocation,
  type Comparison,
  compare,
  conversionsIn,
  type Epoch,
  epochsOf,
  epochsOfSameContent,
  epochsTogether,
  formerTimes,
  liftOf,
  strataOf,
} from "./compare.pure.ts";
import { addUp, type CountsOf, sumOver, tallyOf } from "./counts.pure.ts";
import { recommend } from "./decide.pure.ts";
import { type CurrentVariant, type Pairing, pairingsOf } from "./pairings.pure.ts";
import { mostWeighted, planFor } from "./plan.pure.ts";
import { rateOf, rememberedRates } from "./rates.pure.ts";
import {
  reportedChance,
  reportedComparison,
  reportedCounts,
  reportedE,
  reportedEstimate,
  reportedNumber,
  reportedOrNull,
  reportedRates,
  reportedSampleRatio,
} from "./reported.pure.ts";
import { sampleRatioLogE } from "./sample-ratio.pure.ts";
import {
  type DayOfSeries,
  type EarlierText,
  type Holdout,
  MAX_SERIES_DAYS,
  type MergedUnits,
  type Statistics,
} from "./schema.ts";
import { type Cell, dayEnds, recentDays } from "./series.pure.ts";
import { type EpochSplit, LIFT, splitEvidence } from "./split.pure.ts";

/** All that the statistics of a campaign come from. `evaluatedAt` is epoch milliseconds; `minimumLift` is the smallest lift that matters. */
export type StatisticsInput = {
  evaluatedAt: number;
  attributionDays: number;
  isGoalEvent: boolean;
  minimumLift: number;
  variants: readonly CurrentVariant[];
  allocations: readonly Allocation[];
  cells: readonly Cell[];
  holdout: Holdout | null;
  merged: MergedUnits;
  wantsSeries: boolean;
};

/** A comparison as a verdict is judged by it: its e-value, as its logarithm, and the conversions that it comes from. */
export type Judged = Pick<Pairing, "pair" | "sinceEpoch"> & { logE: number; splits: EpochSplit[] };

/** What verdicts about a campaign are judged by: the comparisons with the control, and whether users are split as the weights say. */
export function judgedOf({
  variants,
  allocations,
  cells,
}: Pick<StatisticsInput, "variants" | "allocations" | "cells">): {
  comparisons: Judged[];
  sampleRatio: Statistics["sampleRatio"];
} {
  const epochs = epochsOf(allocations);
  const matured = tallyOf(cells.filter(({ day }) => day !== null));
  return {
    comparisons: pairingsOf(epochs, variants).map(({ pair, together, sinceEpoch }) => {
      const splits = conversionsIn(strataOf(together, pair, matured));
      return { pair, sinceEpoch, logE: splitEvidence(splits, LIFT).logE, splits };
    }),
    sampleRatio: sampleRatioOf(epochs, variants, tallyOf(cells)),
  };
}

/** What the counts say about a campaign. The same question always has the same answer. */
export function statisticsOf(question: StatisticsInput): Statistics {
  const { evaluatedAt, attributionDays, isGoalEvent, minimumLift, variants, cells } = question;
  const matured = tallyOf(cells.filter(({ day }) => day !== null));
  const pending = tallyOf(cells.filter(({ day }) => day === null));
  const epochs = epochsOf(question.allocations);
  const pairings = pairingsOf(epochs, variants);
  const comparisons = pairings.length;
  const threshold = Math.max(1, comparisons) / ALPHA;
  const rates = rememberedRates();
  const compared = new Map(
    pairings.map(({ pair, together }) => [
      pair.arm,
      compare(strataOf(together, pair, matured), { comparisons, minimumLift, rates }),
    ]),
  );
  // Only what users get now can be chosen. A variant without traffic is compared all the same.
  const live = variants.flatMap(({ variantId, weight }) => {
    const comparison = compared.get(variantId);
    return weight > 0 && comparison !== undefined ? [{ variantId, comparison }] : [];
  });
  const [, ...chances] = chancesOfBest(live.map(({ comparison }) => comparison.evidence));
  const firstClaims = firstClaimsOf(pairings, cells, { evaluatedAt, threshold });
  const comparisonOf = (variantId: string): Statistics["variants"][number]["comparison"] => {
    const pairing = pairings.find(({ pair }) => pair.arm === variantId);
    const comparison = compared.get(variantId);
    if (pairing === undefined || comparison === undefined) return null;
    const chance = chances[live.findIndex((each) => each.variantId === variantId)] ?? 0;
    return {
      since: pairing.since,
      ...reportedComparison(comparison),
      rates: reportedRates(comparison.rates),
      bestChance: reportedChance(chance),
      firstClaimAt: firstClaims.get(variantId) ?? null,
    };
  };
  const reported = variants.map((variant) => {
    const ofItsContent = numbersOf(epochsOfSameContent(epochs, [variant.variantId]));
    const done = sumOver(ofItsContent, variant.variantId, matured);
    return {
      ...variant,
      matured: reportedCounts(done),
      pending: reportedCounts(sumOver(ofItsContent, variant.variantId, pending)),
      rate: reportedEstimate(rateOf(done.converted, done.exposed, ALPHA)),
      comparison: comparisonOf(variant.variantId),
    };
  });
  const sampleRatio = sampleRatioOf(epochs, variants, addUp(matured, pending));
  return {
    method: "split-1",
    attributionDays,
    maturedUntil: evaluatedAt - attributionDays * DAY_MS,
    alpha: ALPHA,
    comparisons,
    threshold,
    isGoalEvent,
    unknownAllocation: cells.reduce((sum, { epoch, exposed }) => sum + (epoch === 0 ? exposed : 0), 0),
    merged: question.merged,
    snapshot: snapshotOf(question),
    sampleRatio,
    variants: reported,
    decision: isGoalEvent && variants.length > 1 ? recommend(live, sampleRatio.mismatch) : null,
    plan: planOf(question, epochs, reported, comparisons),
    holdout: question.holdout,
    ...(question.wantsSeries && { series: seriesOf(question, epochs, pairings) }),
  };
}

const numbersOf = (epochs: readonly Epoch[]): number[] => epochs.map(({ epoch }) => epoch);

/** SHA-256 of integers and strings in a fixed order, so that anybody who has them can compute it again. */
function snapshotOf({ allocations, cells, evaluatedAt, attributionDays }: StatisticsInput): string {
  const lines = [
    ...allocations.map((each) => [
      "a",
      each.epoch,
      each.variantId,
      each.weight,
      each.contentDigest,
      each.startedAt,
    ]),
    ...cells.map((each) => [
      "c",
      each.epoch,
      each.variantId,
      each.day,
      each.exposed,
      each.converted,
      each.recent,
    ]),
  ].map((line) => line.join(" "));
  return hash("sha256", [`${evaluatedAt} ${attributionDays}`, ...lines.sort()].join("\n"));
}

/** What the sample ratio of some epochs is made of: users and weight of each variant in each. */
const splitsOf = (epochs: readonly Epoch[], variants: readonly CurrentVariant[], countsOf: CountsOf) =>
  epochs.map(({ epoch, variants: allocated }) =>
    variants.map(({ variantId }) => ({
      users: countsOf(variantId, epoch).exposed,
      weight: allocated.get(variantId)?.weight ?? 0,
    })),
  );

const idsOf = (variants: readonly CurrentVariant[]): string[] => variants.map(({ variantId }) => variantId);
const totalOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/**
 * Whether the users of a campaign are split between its variants otherwise than the weights say, so that no winner may be claimed.
 * @param cells all exposed users, by variant and epoch
 */
export const isSplitBroken = ({
  variants,
  allocations,
  cells,
}: Pick<StatisticsInput, "variants" | "allocations"> & { cells: Parameters<typeof tallyOf>[0] }): boolean =>
  sampleRatioOf(epochsOf(allocations), variants, tallyOf(cells)).mismatch;

/** Whether all exposed users, matured or not, are split as the weights say. */
function sampleRatioOf(
  epochs: readonly Epoch[],
  variants: readonly CurrentVariant[],
  countsOf: CountsOf,
): Statistics["sampleRatio"] {
  const counted = epochsOfSameContent(epochs, idsOf(variants));
  const splits = splitsOf(counted, variants, countsOf);
  const logE = sampleRatioLogE(splits);
  // How many users each unit of weight stands for, epoch by epoch.
  const perWeight = splits.map(
    (split) => totalOf(split.map(({ users }) => users)) / totalOf(split.map(({ weight }) => weight)),
  );
  const expectedOf = (place: number): number =>
    totalOf(splits.map((split, epoch) => (perWeight[epoch] ?? 0) * (split[place]?.weight ?? 0)));
  return {
    ...reportedSampleRatio(logE),
    since: counted[0]?.startedAt ?? null,
    arms: variants.map(({ variantId }, place) => ({
      variantId,
      exposedUsers: sumOver(numbersOf(counted), variantId, countsOf).exposed,
      expectedUsers: reportedNumber(expectedOf(place)),
    })),
  };
}

/** What would have been said at the end of each past day. */
function seriesOf(
  { cells, evaluatedAt, variants }: StatisticsInput,
  epochs: readonly Epoch[],
  pairings: readonly Pairing[],
): DayOfSeries[] {
  const ofSameContent = epochsOfSameContent(epochs, idsOf(variants));
  const parts = variants.map(({ variantId }) => ({
    variantId,
    epochs: numbersOf(epochsOfSameContent(epochs, [variantId])),
    pairing: pairings.find(({ pair }) => pair.arm === variantId),
  }));
  const dayOf = (at: number, countsOf: CountsOf): DayOfSeries => ({
    at,
    sampleRatioEValue: reportedE(sampleRatioLogE(splitsOf(ofSameContent, variants, countsOf))),
    variants: parts.map(({ variantId, epochs: own, pairing }) => {
      const lift = pairing && liftOf(strataOf(pairing.together, pairing.pair, countsOf), pairings.length);
      return {
        variantId,
        ...reportedCounts(sumOver(own, variantId, countsOf)),
        eValue: lift ? reportedE(lift.evidence.logE) : null,
        lower: lift ? reportedNumber(lift.ends.lower) : null,
        upper: lift ? reportedOrNull(lift.ends.upper) : null,
      };
    }),
  });
  const series: DayOfSeries[] = [];
  for (const { at, added, countsOf } of dayEnds(cells, evaluatedAt)) {
    if (at <= evaluatedAt - MAX_SERIES_DAYS * DAY_MS) continue;
    const before = series.at(-1);
    series.push(added.length > 0 || before === undefined ? dayOf(at, countsOf) : { ...before, at });
  }
  return series;
}

/** How many former texts of each variant are reported, newest first. */
const MAX_EARLIER = 5;

/**
 * What had come of the texts that were changed, newest first: of each variant, the users of each time in which its text and the
 * control's stayed as they were. Users who were exposed then count, with all that they did within their window, also after the change.
 * The control is the one of now, because epochs do not say who it was.
 */
export function earlierTextsOf(
  question: Pick<StatisticsInput, "variants" | "allocations" | "cells" | "minimumLift">,
) {
  const { variants, cells, minimumLift } = question;
  const matured = tallyOf(cells.filter(({ day }) => day !== null));
  const pending = tallyOf(cells.filter(({ day }) => day === null));
  const all = addUp(matured, pending);
  const epochs = epochsOf(question.allocations);
  const control = variants.find(({ isControl }) => isControl)?.variantId;
  const textOf = (variantId: string, time: readonly Epoch[]): EarlierText | null => {
    const [first, last] = [time[0], time.at(-1)];
    const next = last && epochs[epochs.indexOf(last) + 1];
    const digest = last?.variants.get(variantId)?.contentDigest;
    const numbers = numbersOf(time);
    if (first === undefined || next === undefined || digest === undefined) return null;
    if (sumOver(numbers, variantId, all).exposed === 0) return null;
    const done = sumOver(numbers, variantId, matured);
    const until = epochs.filter(({ epoch }) => epoch < next.epoch);
    // Only variants that were there then were compared then.
    const ofThen = variants.filter((each) => last?.variants.has(each.variantId));
    const pair = control === undefined || variantId === control ? null : { arm: variantId, other: control };
    const together = pair === null ? [] : epochsTogether(time, pair);
    const comparisons = pairingsOf(until, ofThen).length;
    return {
      variantId,
      contentDigest: digest,
      from: first.startedAt,
      until: next.startedAt,
      because: next.variants.get(variantId)?.contentDigest === digest ? "control_text" : "text",
      matured: reportedCounts(done),
      pending: reportedCounts(sumOver(numbers, variantId, pending)),
      rate: reportedEstimate(rateOf(done.converted, done.exposed, ALPHA)),
      splitMismatch: sampleRatioOf(until, ofThen, all).mismatch,
      comparison:
        pair === null || together.length === 0
          ? null
          : ofPair(compare(strataOf(together, pair, matured), { comparisons, minimumLift })),
    };
  };
  return variants
    .flatMap(({ variantId }) => {
      const compared = control === undefined || variantId === control ? [variantId] : [variantId, control];
      return formerTimes(epochs, compared)
        .slice(0, MAX_EARLIER)
        .flatMap((time) => textOf(variantId, time) ?? []);
    })
    .sort((a, b) => b.until - a.until || (a.variantId < b.variantId ? -1 : 1));
}

const ofPair = (comparison: Comparison): EarlierText["comparison"] => {
  const { relative, verdict } = reportedComparison(comparison);
  return { relative, verdict };
};

/** How long an answer takes at the rate and the traffic of the control and of the variant with most weight; null without either. */
function planOf(
  { cells, evaluatedAt, attributionDays }: StatisticsInput,
  epochs: readonly Epoch[],
  reported: Statistics["variants"],
  comparisons: number,
): Statistics["plan"] {
  const compared = mostWeighted(reported);
  const [first] = epochs;
  if (compared === null || first === undefined) return null;
  const { control, arm, share } = compared;
  const days = recentDays(first.startedAt, evaluatedAt);
  const isCounted = ({ epoch, variantId }: Cell): boolean =>
    epoch > 0 && (variantId === control.variantId || variantId === arm.variantId);
  const recent = totalOf(cells.filter(isCounted).map((cell) => cell.recent));
  const controlRate = control.rate.estimate ?? 0;
  if (days === 0 || recent === 0 || controlRate === 0) return null;
  return planFor(
    { controlRate, share, comparisons: Math.max(1, comparisons), alpha: ALPHA },
    { exposedPerDay: recent / days, attributionDays },
  );
}
