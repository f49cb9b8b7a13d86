import { type CountsOf, Tally } from "./counts.pure.ts";

const DAY_MS = 86_400_000;

/**
 * Users of a variant in an epoch by the UTC day (days since 1970) on which their attribution window ended; null where it has not.
 * `recent`: how many of them were exposed within the last seven full days.
 */
export type Cell = {
  variantId: string;
  epoch: number;
  day: number | null;
  exposed: number;
  converted: number;
  recent: number;
};

/** The end of a UTC day, what came in it, and all that was counted up to it. `countsOf` reads counts that the next day adds to: use it at once. */
export type DayEnd = { at: number; added: readonly Cell[]; countsOf: CountsOf };

/**
 * The counts of matured users as they were at the end of each past UTC day, from the first day with one. What the rule would have said
 * then follows from them, since the outcome of a matured user no longer changes.
 */
export function* dayEnds(cells: readonly Cell[], evaluatedAt: number): Generator<DayEnd> {
  const byDay = new Map<number, Cell[]>();
  for (const cell of cells) {
    if (cell.day === null) continue;
    const sameDay = byDay.get(cell.day);
    if (sameDay === undefined) byDay.set(cell.day, [cell]);
    else sameDay.push(cell);
  }
  const tally = new Tally();
  const today = Math.floor(evaluatedAt / DAY_MS);
  const first = [...byDay.keys()].reduce((least, day) => Math.min(least, day), today);
  for (let day = first; day < today; day++) {
    const added = byDay.get(day) ?? [];
    for (const cell of added) tally.add(cell);
    yield { at: (day + 1) * DAY_MS, added, countsOf: tally.countsOf };
  }
}

/** How many full UTC days before `evaluatedAt` began at or after `since`, at most seven. */
export function recentDays(since: number, evaluatedAt: number): number {
  const days = Math.floor(evaluatedAt / DAY_MS) - Math.ceil(since / DAY_MS);
  return Math.min(7, Math.max(0, days));
}
