/**
 * Kills the server again and again while it sends to a webhook whose server answers 2xx, 5xx, late or not at all, and compares what came
 * with what was acknowledged: nothing may be missing or out of its order, and only what was under way may come twice.
 * `node bench/webhooks-crash.ts [--kills 100] [--users 4000] [--seed N]`; exits 1 on any violation.
 */
import { parseArgs } from "node:util";
import { webhookCrashRounds } from "../apps/server/test/crash/webhook-rounds.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    users: { type: "string", default: "4000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [kills, users, seed] = [values.kills, values.users, values.seed].map(Number) as [
  number,
  number,
  number,
];
console.log(`seed ${seed}`);
const report = await webhookCrashRounds({ kills, users, seed, say: console.log });
const { faults, doubled, mostDoubled, differences } = report;
console.log(`\n${report.kills.node} kills of node, ${report.kills["node+postgres"]} of node and postgres`);
console.log(`${report.facts} facts acknowledged, ${report.messages} messages written`);
console.log(
  `${report.taken} times taken (${doubled} twice, at most ${mostDoubled}), ${report.refused} refused`,
);
console.log(`${faults.length} contradictions, ${differences} differences found by the doctor`);
for (const fault of faults.slice(0, 30)) console.log(fault);
if (faults.length > 0 || doubled > mostDoubled || differences > 0) process.exitCode = 1;
