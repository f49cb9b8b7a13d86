import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { testHouse } from "../harness.ts";
import { rounds } from "../rounds.ts";
import { placesOf, withoutFault } from "./places.ts";
import { isWrite } from "./proxy.ts";
import { type Mode, type Plan, type Played, playRounds } from "./rounds.ts";

const house = testHouse();

/**
 * So many rounds are played in all, at every request, before and after it. 0: after each write, because what is killed elsewhere leaves what
 * the write before it has left.
 */
const ROUNDS = Number(process.env.AGENT_ROUNDS ?? rounds(0, 200));
/** Rounds that share a clock, and a look of the doctor. */
const AT_A_TIME = 40;
const MODES: readonly Mode[] = ["auto", "proposed", "approved"];
const AFTER = { kind: "kill", side: "after" } as const;
const BOTH = [{ kind: "kill", side: "before" }, AFTER] as const;

describe("a runner that is killed", () => {
  let undisturbed: Played[];

  before(async () => {
    const policies = ROUNDS === 0 ? (["billed"] as const) : (["billed", "statistical"] as const);
    undisturbed = await playRounds(house, withoutFault(MODES, policies));
  });

  for (const mode of MODES)
    it(`leaves what is done once, wherever that was: ${mode}`, async () => {
      const played = undisturbed.filter((each) => each.mode === mode);
      const places = played.flatMap((each) =>
        ROUNDS === 0 ? placesOf(each, [AFTER], isWrite) : placesOf(each, BOTH),
      );
      const count = ROUNDS === 0 ? places.length : Math.ceil(ROUNDS / MODES.length);
      const plans = Array.from({ length: count }, (_, round) => places[round % places.length]).filter(
        (plan): plan is Plan => plan !== undefined,
      );
      assert.equal(plans.length, count);
      for (let from = 0; from < count; from += AT_A_TIME)
        await playRounds(house, plans.slice(from, from + AT_A_TIME));
      if (ROUNDS > 0)
        console.log(`${mode.padEnd(10)} ${count} rounds, ${places.length} places at which it was killed`);
    });
});
