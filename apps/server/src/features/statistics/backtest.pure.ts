import { type Epoch, shareIn, type VariantPair } from "./compare.pure.ts";
import { type Cell, dayEnds } from "./series.pure.ts";
import { type EpochSplit, LIFT, mostLogE, splitEvidence } from "./split.pure.ts";

/**
 * The e-value of a pair while counts are added to it day by day. It keeps the conversions by share, so that a day costs what came in it,
 * however many epochs there are.
 */
class RunningPair {
  readonly pair: VariantPair;
  readonly #splitOf = new Map<number, EpochSplit>();
  readonly #splits: EpochSplit[];

  constructor(pair: VariantPair, epochs: readonly Epoch[]) {
    this.pair = pair;
    const byShare = new Map<number, EpochSplit>();
    for (const epoch of epochs) {
      const share = shareIn(epoch, pair);
      const split = byShare.get(share) ?? { arm: 0, other: 0, share };
      byShare.set(share, split);
      this.#splitOf.set(epoch.epoch, split);
    }
    this.#splits = [...byShare.values()];
  }

  add({ variantId, epoch, converted }: Cell): void {
    const split = this.#splitOf.get(epoch);
    if (split === undefined) return;
    if (variantId === this.pair.arm) split.arm += converted;
    if (variantId === this.pair.other) split.other += converted;
  }

  /** Whether the e-value is at least `threshold`. It integrates only where a bound cannot say no. */
  reaches(threshold: number): boolean {
    const limit = Math.log(threshold);
    return mostLogE(this.#splits, limit) >= limit && splitEvidence(this.#splits, LIFT).logE >= limit;
  }
}

/**
 * The end of the first past UTC day on which each arm could have been claimed to differ, as epoch milliseconds; arms that never could are
 * left out. `together`: the epochs of a pair that are counted.
 */
export function firstClaimsOf(
  pairs: readonly { pair: VariantPair; together: readonly Epoch[] }[],
  cells: readonly Cell[],
  { evaluatedAt, threshold }: { evaluatedAt: number; threshold: number },
): ReadonlyMap<string, number> {
  const claims = new Map<string, number>();
  const running = pairs.map(({ pair, together }) => new RunningPair(pair, together));
  for (const { at, added } of dayEnds(cells, evaluatedAt)) {
    if (added.length === 0) continue;
    for (const each of running) {
      for (const cell of added) each.add(cell);
      if (!claims.has(each.pair.arm) && each.reaches(threshold)) claims.set(each.pair.arm, at);
    }
  }
  return claims;
}
