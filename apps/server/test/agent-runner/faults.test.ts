import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { testHouse } from "../harness.ts";
import { rounds } from "../rounds.ts";
import { placesOf, withoutFault } from "./places.ts";
import { isWrite, type Passed } from "./proxy.ts";
import { type Fault, type Played, playRounds } from "./rounds.ts";

const house = testHouse();

/** In a long run reads are disturbed as well, and what carries out an approval meets every fault. */
const IS_LONG = rounds(0, 1) === 1;
const isWanted = IS_LONG ? () => true : isWrite;

describe("a runner", () => {
  let undisturbed: Played[];

  before(async () => {
    undisturbed = await playRounds(house, withoutFault(["auto", "approved"], ["billed"]));
  });

  async function playAt(
    faults: readonly Pick<Fault, "kind" | "side">[],
    isAt: (request: Passed) => boolean,
  ): Promise<void> {
    const plans = undisturbed
      .filter(({ mode }) => IS_LONG || mode === "auto" || faults.some(({ kind }) => kind === "stop"))
      .flatMap((each) => placesOf(each, faults, isAt));
    assert.ok(plans.length > 0);
    await playRounds(house, plans);
  }

  it("does nothing more after its lease has run out while it was stopped", async () => {
    const isUnderLease = ({ path }: Passed): boolean => !/\/(settings|due|claim)$/.test(path);
    await playAt([{ kind: "stop", side: "before" }], (request) => isUnderLease(request) && isWanted(request));
    // It has the lease, and does not know it yet.
    await playAt([{ kind: "stop", side: "after" }], ({ path }) => path.endsWith("/claim"));
  });

  it("sends what had no answer again, and does it once", async () => {
    await playAt([{ kind: "cut", side: "after" }], isWanted);
  });

  it("comes again where there was too much to do", async () => {
    await playAt([{ kind: "busy", side: "before" }], isWanted);
  });
});
