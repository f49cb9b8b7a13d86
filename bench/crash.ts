/**
 * Kills a loaded server again and again, and counts what is lost or doubled: nothing may be.
 * `node bench/crash.ts [--rounds 20] [--seed N] [--clients 32]`; exits 1 on any violation.
 */
import { parseArgs } from "node:util";
import { type CrashReport, crashRounds } from "../apps/server/test/crash/rounds.ts";

const MAX_FAULTS_SHOWN = 30;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    clients: { type: "string", default: "32" },
  },
});

function whole(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}.`);
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

function table(report: CrashReport, rounds: number): string {
  const { kills, unanswered, restartsMs } = report;
  const lines: [string, string | number][] = [
    ["rounds", rounds],
    ["kills of node", kills.node],
    ["kills of node and postgres", kills["node+postgres"]],
    ...Object.entries(report.acknowledged).map(([kind, count]): [string, number] => [
      `acknowledged: ${kind}`,
      count,
    ]),
    ["unanswered at a kill (of them stored)", `${unanswered.sent} (${unanswered.stored})`],
    ["writes lost", report.lost],
    ["writes doubled", report.doubled],
    ["other violations", report.faults.length - report.lost - report.doubled],
    ["doctor differences", report.differences],
    ["restart, median", `${Math.round(median(restartsMs))} ms`],
    ["restart, slowest", `${Math.round(Math.max(...restartsMs))} ms`],
  ];
  return lines.map(([name, value]) => `${name.padEnd(44)}${String(value).padStart(14)}`).join("\n");
}

const rounds = whole("rounds", values.rounds, 1, 1_000);
const seed = whole("seed", values.seed, 0, 2 ** 31);
const clients = whole("clients", values.clients, 4, 256);
console.log(`seed ${seed}`);
const report = await crashRounds({ rounds, seed, clients, say: console.log });
console.log(`\n${table(report, rounds)}`);
for (const fault of report.faults.slice(0, MAX_FAULTS_SHOWN)) console.log(fault);
if (report.faults.length > 0 || report.differences > 0) process.exitCode = 1;
