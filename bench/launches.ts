/**
 * `node bench/launches.ts [--processes 8] [--campaigns 100] [--kills 20]`: campaigns that launch by themselves, by so many processes that are
 * killed at random while their changes are deployed; then their receipts and runs, and the doctor. Exits 1 on any difference.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    processes: { type: "string", default: "8" },
    campaigns: { type: "string", default: "100" },
    kills: { type: "string", default: "20" },
  },
});

function whole(name: keyof typeof values, max: number): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new Error(`--${name} must be a whole number from 1 to ${max}.`);
}

const kills = whole("kills", 1_000);
const child = spawn(
  process.execPath,
  [
    new URL("../apps/server/test/run.ts", import.meta.url).pathname,
    "--long",
    // Far more than it takes, on any machine.
    `--test-timeout=${600_000 + kills * 60_000}`,
    "apps/server/test/launches/kills.test.ts",
  ],
  {
    stdio: "inherit",
    env: {
      ...process.env,
      LAUNCH_PROCESSES: String(whole("processes", 32)),
      LAUNCH_CAMPAIGNS: String(whole("campaigns", 1_000)),
      LAUNCH_KILLS: String(kills),
    },
  },
);
child.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
