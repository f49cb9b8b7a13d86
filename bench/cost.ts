/**
 * `node bench/cost.ts [--only text] [--tries 3] [--rows 40]`: sends the most expensive requests of every operation to a server, one at a
 * time, and says what each costs: processor time of the server, and how long it held the event loop. Exits 1 where one holds it for
 * more than 100 ms (median of the tries, no more than it
 * used of a processor, and scaled by a loop that is measured before each try: a busy machine is not the server's fault).
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { costShapes, fillers, type Shape, sendShape } from "../apps/server/test/cost/shapes.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    tries: { type: "string", default: "3" },
    rows: { type: "string", default: "40" },
  },
});
const [TRIES, ROWS] = [Number(values.tries), Number(values.rows)];
const BOUND_MS = 100;
/** What the loop takes on a quiet machine of the kind that the figures in README.md were taken on. */
const QUIET_MS = 12;
const REPORT_WAIT_MS = 60_000;

type Cost = { shape: Shape; status: number; cpuMs: number; blockedMs: number; scaled: number };

const folder = await mkdtemp(join(tmpdir(), "tidings-cost-"));
const file = join(folder, "loop.json");
const preload = new URL("./loop-delay.ts", import.meta.url).href;
const tidings = await startTidings({ NODE_OPTIONS: `--import=${preload}`, LOOP_REPORT: file });

let told = 0;

/** What the server says of itself since it was asked last. */
async function ask(): Promise<{ longestMs: number; cpuMs: number }> {
  tidings.process.kill("SIGUSR2");
  told++;
  for (const until = Date.now() + REPORT_WAIT_MS; Date.now() < until; await sleep(5)) {
    const text = await readFile(file, "utf8").catch(() => "{}");
    const report = JSON.parse(text) as { told?: number; longestMs: number; cpuMs: number };
    if (report.told === told) return report;
  }
  throw new Error("The server does not tell how long its event loop was held.");
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** How much slower a processor of this machine is at this moment than a quiet one; never less than 1. */
function slowness(): number {
  const before = cpuMs();
  let sum = 0;
  for (let i = 0; i < 10_000_000; i++) sum = (sum * 31 + i) | 0;
  return Math.max(1, (cpuMs() - before) / QUIET_MS, sum === 0 ? 1 : 0);
}

async function measure(shape: Shape): Promise<Cost> {
  const tries: Omit<Cost, "shape">[] = [];
  for (let n = 0; n < TRIES; n++) {
    const slower = slowness();
    const before = await ask();
    const { status } = await sendShape(`http://127.0.0.1:${tidings.port}`, tidings, shape);
    const after = await ask();
    const used = after.cpuMs - before.cpuMs;
    // On a busy machine the server waits for a processor, too: what it held the loop for by itself is at most what it used.
    const scaled = Math.min(after.longestMs, used) / slower;
    tries.push({ status, cpuMs: used, blockedMs: after.longestMs, scaled });
  }
  const of = (name: "cpuMs" | "blockedMs" | "scaled"): number => median(tries.map((each) => each[name]));
  return {
    ...{ shape, status: tries[0]?.status ?? 0 },
    ...{ cpuMs: of("cpuMs"), blockedMs: of("blockedMs"), scaled: of("scaled") },
  };
}

try {
  for (const shape of fillers()) await sendShape(`http://127.0.0.1:${tidings.port}`, tidings, shape);
  const shapes = costShapes().filter(({ operation, name }) => `${operation} ${name}`.includes(values.only));
  const costs: Cost[] = [];
  for (const shape of shapes) costs.push(await measure(shape));
  costs.sort((a, b) => b.scaled - a.scaled);
  console.log(`${costs.length} requests, ${TRIES} tries each; medians, slowest first`);
  console.log("held ms  scaled  cpu ms  status  request");
  for (const { shape, status, cpuMs, blockedMs, scaled } of costs.slice(0, ROWS))
    console.log(
      `${blockedMs.toFixed(0).padStart(7)} ${scaled.toFixed(0).padStart(7)} ${cpuMs.toFixed(0).padStart(7)} ${String(status).padStart(7)}  ${shape.operation}: ${shape.name}`,
    );
  const over = costs.filter(({ scaled }) => scaled > BOUND_MS);
  console.log(`${over.length} of them hold the event loop for more than ${BOUND_MS} ms`);
  if (over.length > 0) process.exitCode = 1;
} finally {
  await tidings.stop();
  await rm(folder, { recursive: true, force: true });
}
