import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds, seedOf } from "../rounds.ts";
import { emailCrashRounds } from "./email-rounds.ts";

// Twenty rounds of 5,000: node bench/email-crash.ts.
test("a server killed while email goes out sends nothing twice", { timeout: 450_000 }, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const say = (line: string): void => t.diagnostic(line);
  const report = await emailCrashRounds({ rounds: rounds(2, 4), recipients: 600, seed, say });
  assert.deepEqual(report.faults, []);
  assert.equal(report.doubled, 0);
  assert.equal(report.differences, 0);
  assert.ok(report.accepted > 0);
});
