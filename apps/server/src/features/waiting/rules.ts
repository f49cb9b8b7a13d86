import { MOST_COUNTED, MOST_NAMED } from "./schema.ts";

/** Things of one kind as the answer names them: how many, and the first few. */
export const waitingItems = <Row, Item>(
  rows: readonly Row[],
  toItem: (row: Row) => Item,
  count = rows.length,
) => ({
  count: Math.min(count, MOST_COUNTED),
  items: rows.slice(0, MOST_NAMED).map(toItem),
});

/** What the last look at each campaign (by UUID) found, and when that was (epoch ms). */
export type SplitLooks = ReadonlyMap<string, { isBroken: boolean; lookedAt: number }>;

type Looking = { now: number; isLate: () => boolean; look: (id: string) => Promise<boolean> };

/**
 * Looks at campaigns one after the other, first at those that were never looked at, then at those whose look is the oldest, until it is
 * late; at one at least. The others keep what was found before, and campaigns that are not named any more are forgotten.
 */
export async function lookInTurn(
  ids: readonly string[],
  before: SplitLooks,
  { now, isLate, look }: Looking,
): Promise<SplitLooks> {
  const ageOf = (id: string): number => before.get(id)?.lookedAt ?? Number.NEGATIVE_INFINITY;
  const looks = new Map([...before].filter(([id]) => ids.includes(id)));
  for (const id of ids.toSorted((a, b) => (ageOf(a) === ageOf(b) ? 0 : ageOf(a) - ageOf(b)))) {
    looks.set(id, { isBroken: await look(id), lookedAt: now });
    if (isLate()) break;
  }
  return looks;
}
