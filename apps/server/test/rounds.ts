import { DAY_MS } from "../src/platform/time/clock.ts";

/**
 * How much a run plays: the tests of slow files in a brief form, or more rounds of everything (`npm run test:long`). Read at each call,
 * because one worker runs brief files and whole ones.
 */
const isSet = (name: string): boolean => (process.env[name] ?? "") !== "";

const isLong = (): boolean => isSet("TIDINGS_TEST_LONG");

/** Whether this file shows its main promise alone, because it is slow. */
export const isBrief = (): boolean => !isLong() && isSet("TIDINGS_TEST_BRIEF");

/** Rounds of a test that tries its luck: so many in every run, so many in a long one, so many where the file is run briefly. */
export const rounds = (each: number, long: number, brief = each): number =>
  isLong() ? long : isBrief() ? brief : each;

/** Options of a test or a suite that a brief run leaves out. */
export const leftOutOfBrief = (): { skip: string | false } => ({
  skip: isBrief() && "left out of a brief run",
});

const SEEDS = [1, 2, 3];

const givenSeed = (): number | null => (isSet("TIDINGS_SEED") ? Number(process.env.TIDINGS_SEED) : null);

/**
 * Where the random numbers of a test begin: at one of three fixed seeds in every run, `TIDINGS_SEED` says at which; in a long one at
 * a seed of its own.
 */
export const seedOf = (): number =>
  givenSeed() ?? (isLong() ? Date.now() % 1_000_000 : (SEEDS[new Date().getUTCDate() % SEEDS.length] ?? 1));

/** Of many cases, all of them; in a brief run every so-manieth, others each day. `TIDINGS_SEED` says which instead of the day. */
export function casesOfRun<T>(cases: readonly T[], parts: number): readonly T[] {
  if (!isBrief()) return cases;
  const part = (givenSeed() ?? Math.floor(Date.now() / DAY_MS)) % parts;
  return cases.filter((_, index) => index % parts === part);
}
