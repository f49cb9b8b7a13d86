import { alphaOf } from "../rules.ts";

/** A variant before and after a change of weights. */
export type Reweighted = { variantId: string; isControl: boolean; before: number; after: number };

/** What a change of weights claims about a treatment. */
export type Claim = { variantId: string; is: "better" | "worse" };

/**
 * What a change of weights claims: who takes all users from a variant says that it is worse. Taking them from the control says that every
 * treatment which stays is better; what else goes with the control is part of that claim. Mere shares claim nothing.
 */
export function weightClaims(variants: readonly Reweighted[]): Claim[] {
  const retired = variants.filter(({ before, after }) => before > 0 && after === 0);
  const staying = variants.filter(({ after }) => after > 0);
  if (retired.some(({ isControl }) => isControl))
    return staying
      .filter(({ isControl }) => !isControl)
      .map(({ variantId }) => ({ variantId, is: "better" }));
  return retired.map(({ variantId }) => ({ variantId, is: "worse" }));
}

/**
 * What makes a test under a goal another one: which two variants of a campaign are compared, since which epoch both have the contents
 * that they have, and what is counted. Whatever begins a comparison anew in the statistics changes one of these, and nothing else does.
 */
export type Tested = {
  variantId: string;
  controlId: string;
  sinceEpoch: number;
  event: string;
  attributionDays: number;
};

/** The same for the same test. Two variants are one comparison, whichever of them is the control. */
export const testKey = ({ variantId, controlId, sinceEpoch, event, attributionDays }: Tested): string =>
  JSON.stringify([...[variantId, controlId].toSorted(), sinceEpoch, event, attributionDays]);

/** A test with its place in the order of its goal, and the chance of a false verdict that it may have. */
export type Numbered = Tested & { t: number; alpha: number };

/**
 * Places for the tests that have none yet, after the last one of their goal: each asks for more evidence than the one before.
 * `verdicts`: how many of the goal's tests have come to one.
 */
export function placesFor(
  tests: readonly Tested[],
  known: readonly Tested[],
  { last, verdicts, budget }: { last: number; verdicts: number; budget: number },
): Numbered[] {
  const find = testsByKey(known);
  return tests
    .filter((test) => find(test) === undefined)
    .map((test, index) => {
      const t = last + index + 1;
      return { ...test, t, alpha: alphaOf(budget, t, verdicts) };
    });
}

/** Finds what is known of a test, among tests of one goal and one campaign. */
export function testsByKey<Known extends Tested>(
  known: readonly Known[],
): (test: Tested) => Known | undefined {
  const byKey = new Map(known.map((each) => [testKey(each), each]));
  return (test) => byKey.get(testKey(test));
}
