/**
 * Two processes that answer and two that work, on one PostgreSQL, do everything at once while they, and it, are killed, stopped,
 * drained and cut off; then everything acknowledged is looked for, and what arrived is counted.
 * `node bench/faults.ts [--minutes 5] [--seed N]`; exits 1 on any violation.
 */
import { parseArgs } from "node:util";
import { cleanUp } from "../apps/server/test/commands/spawned.ts";
import { type FaultsReport, runFaults } from "../apps/server/test/faults/run.ts";
import { median } from "./report.ts";

const MAX_FAULTS_SHOWN = 30;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const [minutes, seed] = [values.minutes, values.seed].map(Number) as [number, number];
if (!(minutes > 0 && minutes <= 1_440)) throw new Error("--minutes must be a number up to 1440.");
if (!Number.isSafeInteger(seed)) throw new Error("--seed must be a whole number.");

function table(report: FaultsReport): string {
  const { requests, disturbance, pauses, email, push } = report;
  const { readyAgainS, slowestProbeS } = disturbance;
  const lines: [string, string | number][] = [
    ["requests received", requests.received],
    ["requests tried, repeats included", requests.tried],
    ["requests acknowledged", requests.acknowledged],
    ...Object.entries(disturbance.count).map(([kind, count]): [string, number] => [`fault: ${kind}`, count]),
    ["email: campaigns, accepted, unknown", `${email.campaigns}, ${email.accepted}, ${email.unknown}`],
    ["push: campaigns, accepted, unknown", `${push.campaigns}, ${push.accepted}, ${push.unknown}`],
    ["pauses acknowledged", pauses.acknowledged],
    ["writes lost", report.lost],
    ["writes, mails and pushes doubled", report.doubled],
    ["messages served after a pause", pauses.violations],
    ["other violations", report.faults.length],
    ["doctor differences", report.differences],
    ["ready again, median", `${median(readyAgainS).toFixed(2)} s`],
    ["ready again, slowest", `${Math.max(0, ...readyAgainS).toFixed(2)} s`],
    ["slowest answer of /readyz", `${slowestProbeS.toFixed(2)} s`],
  ];
  return lines.map(([name, value]) => `${name.padEnd(44)}${String(value).padStart(20)}`).join("\n");
}

// A run that a person ends early leaves nothing running either.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
console.log(`seed ${seed}`);
const report = await runFaults({
  minutes,
  seed,
  clients: 24,
  recipients: 600,
  devices: 500,
  say: console.log,
});
console.log(`\n${table(report)}`);
for (const fault of report.faults.slice(0, MAX_FAULTS_SHOWN)) console.log(fault);
const { faults, differences, doubled, pauses } = report;
if (faults.length + differences + doubled + pauses.violations > 0) process.exitCode = 1;
