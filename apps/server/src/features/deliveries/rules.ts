/** A variant that may be chosen, with its weight. */
export type Weighted = { id: string; weight: number };

/**
 * The variant of a user: a point in 0..1 that hangs on the user and the campaign alone, looked up among the weights.
 * The same user gets the same one until the weights change, and a delivery then keeps what it has.
 * @param point a uniform number from 0 (included) to 1 (excluded)
 */
export function chooseVariant<V extends Weighted>(variants: readonly V[], point: number): V | null {
  const total = variants.reduce((sum, variant) => sum + variant.weight, 0);
  let rest = point * total;
  for (const variant of variants) {
    rest -= variant.weight;
    if (rest < 0) return variant;
  }
  return null;
}
