/**
 * Kills the server again and again while campaigns go out, and counts what arrived twice or is missing: nothing may.
 * `node bench/email-crash.ts [--rounds 20] [--recipients 5000] [--seed N]`; exits 1 on any violation.
 */
import { parseArgs } from "node:util";
import { emailCrashRounds } from "../apps/server/test/crash/email-rounds.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    recipients: { type: "string", default: "5000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [rounds, recipients, seed] = [values.rounds, values.recipients, values.seed].map(Number) as [
  number,
  number,
  number,
];
console.log(`seed ${seed}`);
const report = await emailCrashRounds({ rounds, recipients, seed, say: console.log });
const { kills, planned, accepted, unknown, failed, doubled, faults, differences } = report;
console.log(`\n${kills.node} kills of node, ${kills["node+postgres"]} of node and postgres`);
console.log(`${planned} planned = ${accepted} accepted + ${unknown} unknown + ${failed} failed and others`);
console.log(
  `${doubled} doubled, ${faults.length} contradictions, ${differences} differences found by the doctor`,
);
for (const fault of faults) console.log(fault);
if (doubled > 0 || faults.length > 0 || differences > 0) process.exitCode = 1;
