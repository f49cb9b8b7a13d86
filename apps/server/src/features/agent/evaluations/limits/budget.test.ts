import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { numbersFrom } from "../../../../../test/crash/random.ts";
import { rounds } from "../../../../../test/rounds.ts";
import { SimulatedCampaign } from "../../../../../test/statistics/simulate.ts";
import { sideOf } from "../../../statistics/split.pure.ts";
import { type Numbered, placesFor, type Tested, testsByKey } from "../verdicts/verdict.pure.ts";

const BUDGET = 0.05;
const TEXTS = 30;
/** Users of a text between two looks, how many looks there are, and how many of the users convert, whatever the text says. */
const [USERS, LOOKS, RATE] = [500, 12, 0.1] as const;

/** Which test a comparison is. */
type Naming = (test: Tested) => Tested;
/** As the server names it. */
const byText: Naming = (test) => test;
/** As a server would that tells only variants apart. */
const byVariant: Naming = (test) => ({ ...test, sinceEpoch: 1 });

/**
 * How many false verdicts a program comes to under one goal that writes one text after the other for the same variant, none of which does
 * anything, and looks again and again at each.
 */
function falseVerdicts(random: () => number, naming: Naming): number {
  const campaign = new SimulatedCampaign(random, [50, 50]);
  const known: Numbered[] = [];
  let verdicts = 0;
  for (let text = 0; text < TEXTS; text++) {
    if (text > 0) campaign.edit(1);
    let test: Tested | undefined;
    for (let look = 0; look < LOOKS; look++) {
      const [compared] = campaign.judged().comparisons;
      assert.ok(compared);
      test ??= naming({
        variantId: compared.pair.arm,
        controlId: compared.pair.other,
        sinceEpoch: compared.sinceEpoch,
        event: "paid",
        attributionDays: 7,
      });
      known.push(...placesFor([test], known, { last: known.length, verdicts, budget: BUDGET }));
      const { alpha } = testsByKey(known)(test) ?? { alpha: 0 };
      if (sideOf(compared.splits, compared.logE, alpha) !== null) {
        verdicts++;
        break;
      }
      campaign.grow(USERS, [RATE, RATE]);
    }
  }
  assert.deepEqual(
    known.map(({ t }) => t),
    known.map((_, index) => index + 1),
  );
  return verdicts;
}

/** In which share of goals there is a false verdict. */
function shareOfGoals(naming: Naming, goals: number): number {
  const random = numbersFrom(7);
  const wrong = Array.from({ length: goals }, () => falseVerdicts(random, naming)).filter((each) => each > 0);
  return wrong.length / goals;
}

describe("the error budget of a goal", () => {
  it("holds for an agent that tries one text after the other, because each has a place of its own", () => {
    const goals = rounds(100, 2_000);
    const [now, before] = [shareOfGoals(byText, goals), shareOfGoals(byVariant, goals)];
    assert.ok(now <= BUDGET, `${now}`);
    assert.ok(before > 2 * BUDGET, `${before}: otherwise this world would not tell the two apart`);
  });
});
