import type { Answer } from "@tidings/client";

type Relative = Answer<"getGoalConversions">["holdout"]["relative"];

/** Whether a difference is claimed: one of its ends is beyond no difference. */
const isClaimed = ({ lower, upper }: Pick<Relative, "lower" | "upper">): boolean =>
  lower > 0 || (upper !== null && upper < 0);

/** Ratios as differences: without anybody who converted on one side there is none, or it is "all of it less". */
const NO_CONVERSIONS = -1;

/** Whether there is a difference to show: both sides have users who converted, or a difference is claimed all the same. */
export const isKnown = (relative: Relative): boolean =>
  isClaimed(relative) || (relative.estimate !== null && relative.estimate > NO_CONVERSIONS);

/** The same of the ends of a past day, of which users and conversions of both sides are known. */
export const wasKnown = (
  ends: Pick<Relative, "lower" | "upper">,
  sides: readonly { convertedUsers: number }[],
): boolean =>
  isClaimed(ends) || (sides.length === 2 && sides.every(({ convertedUsers }) => convertedUsers > 0));
