/** Users who were exposed, and how many of them converted. */
export type Counts = { exposed: number; converted: number };
/** The counts of a variant in an epoch. */
export type CountsOf = (variantId: string, epoch: number) => Counts;

const NO_USERS: Counts = { exposed: 0, converted: 0 };

const plus = (a: Counts, b: Counts): Counts => ({
  exposed: a.exposed + b.exposed,
  converted: a.converted + b.converted,
});

/** Counts to which more can be added. */
export class Tally {
  readonly #byEpoch = new Map<number, Map<string, Counts>>();

  add({ variantId, epoch, exposed, converted }: { variantId: string; epoch: number } & Counts): void {
    const variants = this.#byEpoch.get(epoch) ?? new Map<string, Counts>();
    this.#byEpoch.set(epoch, variants);
    variants.set(variantId, plus(variants.get(variantId) ?? NO_USERS, { exposed, converted }));
  }

  readonly countsOf: CountsOf = (variantId, epoch) => this.#byEpoch.get(epoch)?.get(variantId) ?? NO_USERS;
}

/** The counts of all cells together. */
export function tallyOf(cells: readonly ({ variantId: string; epoch: number } & Counts)[]): CountsOf {
  const tally = new Tally();
  for (const cell of cells) tally.add(cell);
  return tally.countsOf;
}

/** The counts of both together. */
export const addUp =
  (first: CountsOf, second: CountsOf): CountsOf =>
  (variantId, epoch) =>
    plus(first(variantId, epoch), second(variantId, epoch));

/** The counts of a variant over several epochs. */
export const sumOver = (epochs: readonly number[], variantId: string, countsOf: CountsOf): Counts =>
  epochs.reduce((sum, epoch) => plus(sum, countsOf(variantId, epoch)), NO_USERS);
