import { it } from "node:test";
import { seeded } from "../../../../test/audience/random.ts";
import { rounds, seedOf } from "../../../../test/rounds.ts";

/** Random choices that a seed repeats. */
export type Dice = {
  /** Whether something happens that has this share of all cases, 0 to 1. */
  chance(share: number): boolean;
  /** A whole number, both ends included. */
  int(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  /** Each of them with this chance, 0 to 1. */
  some<T>(from: readonly T[], share: number): T[];
};

export function createDice(seed: number): Dice {
  const random = seeded(seed);
  // The first numbers of near seeds are alike.
  for (let n = 0; n < 8; n++) random();
  const int = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
  return {
    chance: (share) => random() < share,
    int,
    pick(from) {
      const found = from[int(0, from.length - 1)];
      if (found === undefined) throw new Error("There is nothing to pick from.");
      return found;
    },
    some: (from, share) => from.filter(() => random() < share),
  };
}

/** The seeds of this run: the fixed ones; many more in a long run; `TIDINGS_SEED` alone where it is set. */
function seedsOfRun(fixed: readonly number[]): number[] {
  if (process.env.TIDINGS_SEED !== undefined) return [seedOf()];
  const first = seedOf();
  return [...fixed, ...Array.from({ length: rounds(0, 30) }, (_, n) => first * 100 + n)];
}

/**
 * A test for each seed of this run, whose failure names the seed. Ids are made anew in each run, and decide who is held out and which
 * variant a user draws: a seed repeats everything else.
 */
export function inWorlds(fixed: readonly number[], what: string, play: (dice: Dice) => Promise<void>): void {
  for (const seed of seedsOfRun(fixed))
    it(`${what}, in the world of seed ${seed}`, { timeout: 120_000 }, async () => {
      try {
        await play(createDice(seed));
      } catch (cause) {
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`In the world of TIDINGS_SEED=${seed}: ${message}`, { cause });
      }
    });
}
