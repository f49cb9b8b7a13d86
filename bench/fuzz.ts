/**
 * Sends every operation valid requests with something wrong in them, and judges each answer by the OpenAPI document.
 * `node bench/fuzz.ts [--requests 50000] [--seed N]`; exits 1 on any fault, which it shows with the smallest such request.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "50000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});

function whole(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}.`);
}

const requests = whole("requests", values.requests, 100, 10_000_000);
const seed = whole("seed", values.seed, 0, 2 ** 31);
/** Far more than a request takes, on any machine. */
const timeoutMs = 60_000 + requests * 100;
const run = new URL("../apps/server/test/run.ts", import.meta.url).pathname;
const child = spawn(
  process.execPath,
  [run, `--test-timeout=${timeoutMs}`, "apps/server/test/fuzz/fuzz.test.ts"],
  {
    stdio: "inherit",
    env: { ...process.env, FUZZ_REQUESTS: String(requests), FUZZ_SEED: String(seed) },
  },
);
child.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
