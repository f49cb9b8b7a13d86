/** Draws that a seed decides: the same seed chooses the same kills and the same writes, though not their timing. */
export type Random = {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T | undefined;
  /** Up to `count` different entries. */
  sample<T>(list: readonly T[], count: number): T[];
};

/** Numbers in 0..1 by Mulberry32 (Tommy Ettinger, public domain): 32 bits of state are plenty for choosing. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomFrom(seed: number): Random {
  const next = numbersFrom(seed);
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    between: (from, to) => from + int(to - from + 1),
    chance: (probability) => next() < probability,
    pick: (list) => list[int(list.length)],
    sample(list, count) {
      const rest = [...list];
      return Array.from({ length: Math.min(count, rest.length) }, () =>
        rest.splice(int(rest.length), 1),
      ).flat();
    },
  };
}
