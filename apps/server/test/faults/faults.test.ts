import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds, seedOf } from "../rounds.ts";
import { runFaults } from "./run.ts";

// For as long as you like, with more of everything: node bench/faults.ts.
test("several processes on one PostgreSQL lose and double nothing, whatever is killed or stopped", {
  timeout: rounds(450_000, 600_000),
}, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const report = await runFaults({
    seed,
    minutes: rounds(0, 3),
    clients: rounds(5, 10),
    recipients: 250,
    devices: 100,
    say: (line) => t.diagnostic(line),
  });
  const { requests, email, push, pauses, disturbance } = report;
  t.diagnostic(JSON.stringify({ requests, email, push, pauses, disturbance }));
  assert.deepEqual(report.faults, []);
  assert.deepEqual(
    [report.lost, report.doubled, pauses.violations, report.differences],
    [0, 0, 0, 0],
    "lost, doubled, served after a pause, differences",
  );
  assert.ok(pauses.acknowledged > 0 && email.accepted > 0 && push.accepted > 0, "all of it was under way");
  assert.ok(disturbance.readyAgainS.length > 0, "PostgreSQL was away, and came back");
});
