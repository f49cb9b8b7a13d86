import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { testHouse } from "../harness.ts";
import { rounds } from "../rounds.ts";
import type { PolicyName } from "./policies.ts";
import type { Passed, Side } from "./proxy.ts";
import { type Mode, type Plan, playRounds } from "./rounds.ts";

const house = testHouse();

/** So many rounds are played in all; 0: each write of a runner once, before and after it. */
const ROUNDS = Number(process.env.AGENT_ROUNDS ?? rounds(0, 200));
/** Rounds that share a clock, and a look of the doctor. */
const AT_A_TIME = 40;
const MODES: readonly Mode[] = ["auto", "proposed", "approved"];
const POLICIES: readonly PolicyName[] = ["billed", "statistical"];
const SIDES: readonly Side[] = ["before", "after"];

/** What each runner requests that is left alone. */
const undisturbed = new Map<string, readonly Passed[]>();

const nameOf = (mode: Mode, policy: PolicyName): string => `${mode}, ${policy}`;

/** All places at which a runner can be killed, in the order of its work. */
const killsOf = (mode: Mode, policy: PolicyName): Plan[] =>
  (undisturbed.get(nameOf(mode, policy)) ?? []).flatMap((_, index) =>
    SIDES.map(
      (side): Plan => ({
        ...{ mode, policy, kill: { at: index + 1, side } },
        peopleDecide: index % 2 === 0 ? "early" : "late",
      }),
    ),
  );

/** Whether a kill is at a request that changes something. What is killed at a read leaves what the write before it has left. */
const isAtWrite = ({ mode, policy, kill }: Plan): boolean =>
  undisturbed.get(nameOf(mode, policy))?.[(kill?.at ?? 0) - 1]?.method !== "GET";

describe("a runner that is killed", () => {
  before(async () => {
    const plans = POLICIES.flatMap((policy) =>
      MODES.map((mode): Plan => ({ mode, policy, kill: null, peopleDecide: "late" })),
    );
    for (const { mode, policy, passed } of await playRounds(house, plans))
      undisturbed.set(nameOf(mode, policy), passed);
  });

  for (const mode of MODES)
    it(`leaves what others do once, wherever that was: ${mode}`, async () => {
      const all = POLICIES.flatMap((policy) => killsOf(mode, policy));
      const plans =
        ROUNDS === 0
          ? all.filter((plan) => plan.policy === "billed" && isAtWrite(plan))
          : Array.from(
              { length: Math.ceil(ROUNDS / MODES.length) },
              (_, round) => all[round % all.length],
            ).filter((plan) => plan !== undefined);
      const kills = { before: 0, after: 0 };
      for (let from = 0; from < plans.length; from += AT_A_TIME)
        for (const { kill } of await playRounds(house, plans.slice(from, from + AT_A_TIME)))
          if (kill !== null) kills[kill.side]++;
      assert.equal(kills.before + kills.after, plans.length);
      if (ROUNDS > 0)
        console.log(
          `${mode.padEnd(10)} ${plans.length} rounds, ${kills.before} killed before a request was sent on, ${kills.after} after its answer; ${all.length} places`,
        );
    });
});
