/** A variant that may be chosen, with its weight. */
export type Weighted = { id: string; weight: number };

/**
 * The variant of a user, chosen by weight with a point that depends on user and campaign alone. So a user gets the same variant until
 * the weights change; an existing delivery keeps its variant even then.
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

/** How far a sweep over the users of an audience has come: the last user; null before the first. */
export type Cursor = { lane: number; userKey: string } | null;

/** Whether a value is one that `occasion` of a delivery can have. */
export const isOccasion = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
