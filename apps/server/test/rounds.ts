/** `npm run test:long` plays more rounds of the same tests. */
const IS_LONG = process.env.TIDINGS_TEST_LONG !== undefined;

/** Rounds of a test that tries its luck: so many in every run, so many in a long one. */
export const rounds = (each: number, long: number): number => (IS_LONG ? long : each);

const SEEDS = [1, 2, 3];

/**
 * Where the random numbers of a test begin: at one of three fixed seeds in every run, `TIDINGS_SEED` says at which; in a long one at
 * a seed of its own.
 */
export function seedOf(): number {
  const given = process.env.TIDINGS_SEED;
  if (given !== undefined) return Number(given);
  return IS_LONG ? Date.now() % 1_000_000 : (SEEDS[new Date().getUTCDate() % SEEDS.length] ?? 1);
}
