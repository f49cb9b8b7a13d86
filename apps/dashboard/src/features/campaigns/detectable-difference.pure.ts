import type { Answer } from "@tidings/client";
import { variantShare } from "../../ui/preview/share.pure.ts";

type Variant = { isControl: boolean; weight: number };
type Plan = Answer<"getCampaignPlan">["plan"];
type Counts = { exposedUsers: number; convertedUsers: number };

/** Which share of users is taken to convert where nothing is known of a goal. */
const ASSUMED_RATE = 0.05;

/** The most that a plan takes: a share below 1. */
const MOST_RATE = 0.99;

/** Which share of users converts with the control, and whether that is an assumption: no user has converted for a message of the goal yet. */
export type ControlRate = { rate: number; isAssumed: boolean };

/** @param matured users whose time to convert is over, of all messages of the goal; null where they are not known */
export function estimateControlRate(matured: Counts | null): ControlRate {
  if (matured === null || matured.convertedUsers === 0) return { rate: ASSUMED_RATE, isAssumed: true };
  return { rate: Math.min(MOST_RATE, matured.convertedUsers / matured.exposedUsers), isAssumed: false };
}

/** How many of the users of a campaign get the control, or the variant with most weight that is none: those two are compared first. */
export function comparedUsers(users: number, variants: readonly Variant[]): number {
  const most = variants.filter(({ isControl }) => !isControl).toSorted((a, b) => b.weight - a.weight)[0];
  const control = variants.find(({ isControl }) => isControl);
  const compared = [control, most].filter((each) => each !== undefined);
  return Math.floor(users * compared.reduce((sum, each) => sum + variantShare(each, variants), 0));
}

/**
 * Whether a campaign can show which text does better.
 *
 * - `alone`: one variant gets users; `split`: users do not get both the control and another one
 * - `shows`: a lift from `lift` on shows in 4 of 5 runs
 * - `lacks`: even the largest lift that is planned with needs `needed` users
 * - `saturated`: so many convert that no lift of a plan is possible
 */
export type DetectableDifference =
  | { kind: "alone" | "split" | "saturated" }
  | { kind: "shows"; lift: number }
  | { kind: "lacks"; lift: number; needed: number };

/** @param users how many get one of the two texts that are compared first */
export function differenceOf(variants: readonly Variant[], plan: Plan, users: number): DetectableDifference {
  if (variants.filter(({ weight }) => weight > 0).length < 2) return { kind: "alone" };
  if (plan === null) return { kind: "split" };
  const possible = plan.lifts
    .flatMap(({ lift, users80 }) => (users80 === null ? [] : [{ lift, needed: users80 }]))
    .toSorted((one, other) => one.lift - other.lift);
  const shown = possible.find(({ needed }) => needed <= users);
  if (shown !== undefined) return { kind: "shows", lift: shown.lift };
  const largest = possible.at(-1);
  return largest === undefined ? { kind: "saturated" } : { kind: "lacks", ...largest };
}
