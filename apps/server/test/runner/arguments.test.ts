import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readArguments } from "./arguments.ts";

const NONE = {
  parts: [],
  isAll: false,
  isLong: false,
  since: null,
  withinMs: Number.POSITIVE_INFINITY,
  flags: [],
};

describe("the arguments of a run", () => {
  for (const [given, read] of [
    [[], {}],
    [["--within=3600", "features/goals"], { withinMs: 3_600_000, parts: ["features/goals"] }],
    [["--within=3600", "--within=0.5"], { withinMs: 500 }],
    [["--changed"], { since: "HEAD" }],
    [["--changed=main~3"], { since: "main~3" }],
    [["--all", "crash"], { isAll: true, parts: ["crash"] }],
    [["--long"], { isLong: true }],
    [["--test-name-pattern=a=b", "--expose-gc"], { flags: ["--test-name-pattern=a=b", "--expose-gc"] }],
  ] as const)
    it(`are read: ${given.join(" ")}`, () => assert.deepEqual(readArguments(given), { ...NONE, ...read }));

  for (const within of ["--within", "--within=", "--within=soon", "--within=-1", "--within=0"])
    it(`are refused: ${within}`, () =>
      assert.throws(() => readArguments([within]), /--within is how many seconds/));

  it("are refused: --changed= without a revision", () =>
    assert.throws(() => readArguments(["--changed="]), /--changed=main names the revision/));
});
