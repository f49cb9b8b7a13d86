import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds, seedOf } from "../rounds.ts";
import { webhookCrashRounds } from "./webhook-rounds.ts";

// A hundred kills: node bench/webhooks-crash.ts.
test("a server killed while it sends to webhooks leaves no message out, and none too early", {
  timeout: 240_000,
}, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const kills = rounds(4, 12, 2);
  const say = (line: string): void => t.diagnostic(line);
  const report = await webhookCrashRounds({ kills, users: kills * 40, seed, say });
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.faults.slice(0, 5), []);
  assert.ok(report.doubled <= report.mostDoubled, `${report.doubled} came twice`);
  assert.equal(report.differences, 0);
});
