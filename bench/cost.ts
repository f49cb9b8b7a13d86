/**
 * `node bench/cost.ts [--only text] [--tries 3] [--rows 40]`: sends the most expensive requests of every operation to a server, one at a
 * time, and says what each costs: processor time of the server, and how long it blocked the event loop. Then it has the server judge
 * histories that are made to be hard. Exits 1 where one blocks the loop for more than 100 ms: the median of the tries, and of each no
 * more than the server used of a processor meanwhile, because on a busy machine the server waits for a processor as well.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { costShapes, fillers, type Shape, sendShape } from "../apps/server/test/cost/shapes.ts";
import { HOSTILE, hostileSource } from "./hostile.ts";
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
const REPORT_WAIT_MS = 60_000;

/** `answer`: a status, or what was found. */
type Cost = { operation: string; answer: string; cpuMs: number; blockedMs: number };

const folder = await mkdtemp(join(tmpdir(), "tidings-cost-"));
const file = join(folder, "loop.json");
const preload = new URL("./loop-delay.ts", import.meta.url).href;
const tidings = await startTidings({ NODE_OPTIONS: `--import=${preload}`, LOOP_REPORT: file });

let reports = 0;

/** What the server says of itself since its last report. */
async function ask(): Promise<{ longestMs: number; cpuMs: number }> {
  tidings.process.kill("SIGUSR2");
  reports++;
  for (const until = Date.now() + REPORT_WAIT_MS; Date.now() < until; await sleep(5)) {
    const text = await readFile(file, "utf8").catch(() => "{}");
    const report = JSON.parse(text) as { reportNumber?: number; longestMs: number; cpuMs: number };
    if (report.reportNumber === reports) return report;
  }
  throw new Error("The server does not report how long its event loop was blocked.");
}

async function measure(operation: string, act: () => Promise<string>): Promise<Cost> {
  const tries: { answer: string; cpuMs: number; blockedMs: number }[] = [];
  for (let n = 0; n < TRIES; n++) {
    const before = await ask();
    const answer = await act();
    const after = await ask();
    const used = after.cpuMs - before.cpuMs;
    tries.push({ answer, cpuMs: used, blockedMs: Math.min(after.longestMs, used) });
  }
  const middle = (name: "cpuMs" | "blockedMs"): number => median(tries.map((each) => each[name]));
  return {
    operation,
    answer: tries[0]?.answer ?? "",
    cpuMs: middle("cpuMs"),
    blockedMs: middle("blockedMs"),
  };
}

const isWanted = (operation: string): boolean => operation.replace(": ", " ").includes(values.only);

const send = async (shape: Shape): Promise<string> =>
  String((await sendShape(`http://127.0.0.1:${tidings.port}`, tidings, shape)).status);

/** What is followed until the server stops. */
const repositories: { remove(): void }[] = [];

/** Reports deployments of histories that are made to be hard to judge, and waits for the verdicts. */
async function measureHistories(): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const name of HOSTILE) {
    const operation = `recordDeployment: ${name}`;
    if (!isWanted(operation)) continue;
    const source = await hostileSource(tidings, name);
    repositories.push(source);
    costs.push(await measure(operation, source.judge));
  }
  return costs;
}

try {
  for (const shape of fillers()) await send(shape);
  const costs: Cost[] = [];
  for (const shape of costShapes()) {
    const operation = `${shape.operation}: ${shape.name}`;
    if (isWanted(operation)) costs.push(await measure(operation, () => send(shape)));
  }
  costs.push(...(await measureHistories()));
  costs.sort((a, b) => b.blockedMs - a.blockedMs);
  console.log(`${costs.length} requests, ${TRIES} tries each; medians, slowest first`);
  console.log("loop ms  cpu ms    answer  request");
  for (const { operation, answer, cpuMs, blockedMs } of costs.slice(0, ROWS))
    console.log(
      `${blockedMs.toFixed(0).padStart(7)} ${cpuMs.toFixed(0).padStart(7)} ${answer.padStart(9)}  ${operation}`,
    );
  const over = costs.filter(({ blockedMs }) => blockedMs > BOUND_MS);
  console.log(`${over.length} of them block the event loop for more than ${BOUND_MS} ms`);
  if (over.length > 0) process.exitCode = 1;
} finally {
  await tidings.stop();
  for (const repository of repositories) repository.remove();
  await rm(folder, { recursive: true, force: true });
}
