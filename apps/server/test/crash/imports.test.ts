import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds, seedOf } from "../rounds.ts";
import { importCrashRounds } from "./import-rounds.ts";

test("a server killed while it brings in files brings in each line once", { timeout: 580_000 }, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const say = (line: string): void => t.diagnostic(line);
  const report = await importCrashRounds({ kills: rounds(2, 8, 1), lines: 30_000, seed, say });
  assert.deepEqual(report.faults, []);
  assert.equal(report.differences, 0);
  assert.ok(
    report.met.node + report.met["node+postgres"] >= 2,
    "a server was killed while it brought in each file",
  );
});
