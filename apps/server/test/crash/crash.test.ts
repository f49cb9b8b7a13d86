import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds, seedOf } from "../rounds.ts";
import { crashRounds } from "./rounds.ts";

// Twenty rounds and more: node bench/crash.ts.
test("a server killed under load keeps every acknowledged write, once", { timeout: 450_000 }, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const report = await crashRounds({
    rounds: rounds(2, 3, 1),
    seed,
    clients: 16,
    say: (line) => t.diagnostic(line),
  });
  assert.deepEqual(report.faults, []);
  assert.equal(report.differences, 0);
  assert.deepEqual(
    Object.entries(report.acknowledged).filter(([, count]) => count === 0),
    [],
    "the load reached every kind of write",
  );
});
