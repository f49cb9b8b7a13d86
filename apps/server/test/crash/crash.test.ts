import assert from "node:assert/strict";
import { test } from "node:test";
import { crashRounds } from "./rounds.ts";

// Twenty rounds and more: node bench/crash.ts.
test("a server killed under load keeps every acknowledged write, once", { timeout: 200_000 }, async (t) => {
  const seed = Date.now() % 1_000_000;
  t.diagnostic(`seed ${seed}`);
  const report = await crashRounds({ rounds: 3, seed, clients: 16, say: (line) => t.diagnostic(line) });
  assert.deepEqual(report.faults, []);
  assert.equal(report.differences, 0);
  assert.deepEqual(
    Object.entries(report.acknowledged).filter(([, count]) => count === 0),
    [],
    "the load reached every kind of write",
  );
});
