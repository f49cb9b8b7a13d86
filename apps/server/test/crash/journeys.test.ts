import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds, seedOf } from "../rounds.ts";
import { journeyCrashRounds } from "./journey-rounds.ts";

test("a server and a worker killed while users go through a journey moves nobody twice, loses nobody, and sends no mail twice", {
  timeout: 1_500_000,
}, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const kills = rounds(4, 200, 2);
  const report = await journeyCrashRounds({
    rounds: kills,
    users: 20,
    seed,
    say: (line) => t.diagnostic(line),
  });
  const { faults, ...numbers } = report;
  t.diagnostic(JSON.stringify(numbers));
  assert.deepEqual(faults, []);
  assert.deepEqual([report.doubled, report.lost, report.differences], [0, 0, 0]);
  assert.equal(report.users, kills * 20);
  assert.ok(report.finished > 0);
  // Whom a kill meets is chance in few rounds.
  if (kills < 50) return;
  assert.ok(report.finished > report.users / 2);
  assert.ok(report.exited > 0 && report.repeated > 0, "users left, and requests were under way at a kill");
});
