/**
 * `node bench/runners.ts [--rounds 200] [--looks 25]`: runners of the agent that are killed at every request, and two that share 20 campaigns,
 * each looked at so often; then what was applied, paid and logged, and each decision once more. Exits 1 on any difference.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    looks: { type: "string", default: "25" },
  },
});

function whole(name: string, text: string, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new Error(`--${name} must be a whole number from 1 to ${max}.`);
}

const rounds = whole("rounds", values.rounds, 100_000);
const looks = whole("looks", values.looks, 200);
/** Far more than they take, on any machine. */
const timeoutMs = 120_000 + rounds * 10_000 + looks * 60_000;
const tests = ["kills", "two-runners"].map((name) => `apps/server/test/agent-runner/${name}.test.ts`);
const child = spawn(
  process.execPath,
  [
    new URL("../apps/server/test/run.ts", import.meta.url).pathname,
    "--long",
    `--test-timeout=${timeoutMs}`,
    ...tests,
  ],
  {
    stdio: "inherit",
    env: { ...process.env, AGENT_ROUNDS: String(rounds), AGENT_LOOKS: String(looks) },
  },
);
child.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
