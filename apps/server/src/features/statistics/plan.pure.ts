import { reportedNumber } from "./reported.pure.ts";
import { rootBetween } from "./root.pure.ts";
import type { Plan } from "./schema.ts";
import { LIFT } from "./split.pure.ts";

/** The lifts whose duration a plan says, and the durations whose detectable lift it says. */
const LIFTS = [0.05, 0.1, 0.2, 0.5];
const HORIZONS_DAYS = [14, 30, 60];

/** How far beyond the boundary the expected evidence has to lie, so that 4 of 5 runs, or half of them, arrive. Measured by simulation. */
const MARGIN = { fourOfFive: 0.55, half: -0.35 };

/** With less information than this nothing shows, however large the lift is. */
const LEAST_LOG_INFORMATION = -30;

/** What a comparison has: the rate of the control, the share of the arm, and among how many comparisons the error is divided. */
export type Design = { controlRate: number; share: number; comparisons: number; alpha: number };

/** The comparison that a plan is about: the control and the variant with most weight; null where users do not get both. */
export function mostWeighted<V extends { isControl: boolean; weight: number }>(
  variants: readonly V[],
): { control: V; arm: V; share: number } | null {
  const control = variants.find(({ isControl }) => isControl);
  const [arm] = variants.filter(({ isControl }) => !isControl).sort((a, b) => b.weight - a.weight);
  if (control === undefined || arm === undefined || control.weight === 0 || arm.weight === 0) return null;
  return { control, arm, share: arm.weight / (arm.weight + control.weight) };
}

/** The boundary that √information times |ln(1 + lift)| has to reach: where e of the mixture crosses K/α. Source: Robbins' mixture. */
function boundary(information: number, { comparisons, alpha }: Design): number {
  const ends = LIFT.map(({ weight, scale }) => {
    const x = information * scale * scale;
    return Math.sqrt(((1 + x) / x) * (2 * Math.log(comparisons / (alpha * weight)) + Math.log1p(x)));
  });
  return Math.min(...ends);
}

/**
 * How many users both arms need until a lift shows in 4 of 5 runs, and in half of them. null where it never shows: without a lift, without
 * conversions, or with a rate that the lift takes to 1 and beyond.
 */
export function usersFor(lift: number, design: Design): { users80: number; users50: number } | null {
  const { controlRate, share } = design;
  const isReachable = lift > -1 && lift !== 0 && controlRate > 0 && controlRate * (1 + lift) <= 1;
  if (!isReachable || !(share > 0 && share < 1)) return null;
  const distance = Math.abs(Math.log1p(lift));
  const users = (margin: number): number => {
    const missing = (log: number): number =>
      distance * Math.exp(log / 2) - boundary(Math.exp(log), design) - margin;
    let far = 1;
    while (missing(far) < 0) far *= 2;
    const information = Math.exp(rootBetween(missing, LEAST_LOG_INFORMATION, far));
    const meanRate = controlRate * (share * (1 + lift) + 1 - share);
    return information / (share * (1 - share)) / meanRate;
  };
  return { users80: users(MARGIN.fourOfFive), users50: users(MARGIN.half) };
}

/** The smallest lift that shows in 4 of 5 runs with so many users in both arms; null without conversions. */
export function detectableLift(users: number, design: Design): number | null {
  const { controlRate, share } = design;
  const information = users * controlRate * share * (1 - share);
  if (!(information > 0)) return null;
  return Math.expm1((boundary(information, design) + MARGIN.fourOfFive) / Math.sqrt(information));
}

/** How long answers take when so many users of both arms come a day, each of whom matures `attributionDays` later. */
export function planFor(
  design: Design,
  { exposedPerDay, attributionDays }: { exposedPerDay: number; attributionDays: number },
): Plan {
  const daysFor = (users: number): number => Math.ceil(users / exposedPerDay) + attributionDays;
  return {
    controlRate: reportedNumber(design.controlRate),
    exposedPerDay: reportedNumber(exposedPerDay),
    lifts: LIFTS.map((lift) => {
      const users = usersFor(lift, design);
      return {
        lift,
        users50: users && Math.ceil(users.users50),
        users80: users && Math.ceil(users.users80),
        days50: users && daysFor(users.users50),
        days80: users && daysFor(users.users80),
      };
    }),
    detectable: HORIZONS_DAYS.map((days) => {
      const lift = detectableLift(exposedPerDay * Math.max(0, days - attributionDays), design);
      return { days, lift: lift === null ? null : reportedNumber(lift) };
    }),
  };
}
