import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds, seedOf } from "../rounds.ts";
import { receiptCrashRounds } from "./receipt-rounds.ts";

test("a server killed while receipts are requested and leave loses none, and sends none twice", {
  timeout: 450_000,
}, async (t) => {
  const seed = seedOf();
  t.diagnostic(`seed ${seed}`);
  const kills = rounds(6, 20, 2);
  const mails = kills * 80;
  const report = await receiptCrashRounds({ kills, mails, seed, say: (line) => t.diagnostic(line) });
  t.diagnostic(`${report.accepted} accepted, ${report.unknown} unknown, ${report.repeated} repeated`);
  assert.deepEqual(report.faults, []);
  assert.equal(report.differences, 0);
  assert.equal(report.accepted + report.unknown, mails);
  assert.ok(report.repeated > 0, "requests were under way at a kill");
});
