import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds, seedOf } from "../rounds.ts";
import { crashPush } from "./push-rounds.ts";

test("a server killed while it sends push never sends again what was accepted", {
  timeout: 450_000,
}, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const devices = rounds(1_000, 3_000);
  const report = await crashPush({
    kills: rounds(2, 3),
    seed,
    devices,
    say: (line) => t.diagnostic(line),
  });
  t.diagnostic(
    `${report.accepted} accepted, ${report.unknown} unknown, ${report.duplicates} twice on a device`,
  );
  assert.deepEqual(report.faults, []);
  assert.equal(report.differences, 0);
  assert.equal(report.accepted, devices);
  assert.ok(report.unknown > 0, "something was under way at a kill");
  assert.ok(report.duplicates <= report.unknown);
});
