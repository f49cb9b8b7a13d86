import { logSumExp, SAMPLE_RATIO, splitEvidence } from "./split.pure.ts";

/** The e-value from which on the split of users counts as broken: at most 1 in 1,000 sound campaigns ever gets there. */
export const SAMPLE_RATIO_THRESHOLD = 1_000;

/** Users and weight of each arm in one epoch; every epoch has the same arms in the same order. */
export type RatioEpoch = { users: number; weight: number };

/**
 * ln of the e-value that users are not split as the weights say: the mean over the arms of each against all others. Arms that never had
 * weight are left out, and with fewer than two arms nothing can be said.
 */
export function sampleRatioLogE(epochs: readonly (readonly RatioEpoch[])[]): number {
  const arms = (epochs[0] ?? []).flatMap((_, arm) =>
    epochs.some((epoch) => (epoch[arm]?.weight ?? 0) > 0) ? [arm] : [],
  );
  if (arms.length < 2) return 0;
  const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const logs = arms.map((arm) => {
    const splits = epochs.map((epoch) => {
      const users = epoch[arm]?.users ?? 0;
      const weight = epoch[arm]?.weight ?? 0;
      return {
        arm: users,
        other: sumOf(epoch.map((each) => each.users)) - users,
        share: weight / sumOf(epoch.map((each) => each.weight)),
      };
    });
    return splitEvidence(splits, SAMPLE_RATIO).logE;
  });
  return logSumExp(logs) - Math.log(arms.length);
}
