/**
 * `node bench/start.ts [--other ../before] [--rounds 5] [--rest 20]`: how long the server takes to start again on a data folder that is
 * there, until it answers a request, and the memory of the Node process then and after so many seconds of rest. With another version in a
 * checkout of its own (with `npm ci` and `npm run build`), in turn: a machine that drifts, drifts for both.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startAgain } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    other: { type: "string" },
    rounds: { type: "string", default: "5" },
    rest: { type: "string", default: "20" },
  },
});

type Figures = Record<"startMs" | "cpuMs" | "startMb" | "restMb", number>;
const MEASURED = ["startMs", "cpuMs", "startMb", "restMb"] as const;

async function measure(dataDir: string, folder?: string): Promise<Figures> {
  const began = performance.now();
  const server = await startAgain(dataDir, folder);
  try {
    const { status } = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    if (status !== 200) throw new Error(`/readyz answers ${status}`);
    const startMs = performance.now() - began;
    const cpuMs = server.nodeSeconds() * 1_000;
    const startMb = server.memoryMb();
    await sleep(Number(values.rest) * 1_000);
    return { startMs, cpuMs, startMb, restMb: server.memoryMb() };
  } finally {
    await server.stop();
  }
}

const versions = [
  { name: "this", folder: undefined },
  ...(values.other === undefined ? [] : [{ name: "other", folder: values.other }]),
];
const data = await Promise.all(versions.map(() => mkdtemp(join(tmpdir(), "tidings-bench-"))));
try {
  const figures: Figures[][] = versions.map(() => []);
  // The first start makes the database, the second what Node keeps of compiled code.
  for (let round = -2; round < Number(values.rounds); round++) {
    const order = [...versions.entries()];
    for (const [index, { folder }] of round % 2 === 0 ? order : order.toReversed()) {
      const figure = await measure(data[index] ?? "", folder);
      if (round >= 0) figures[index]?.push(figure);
    }
  }
  for (const [index, { name }] of versions.entries()) {
    const text = MEASURED.map(
      (what) => `${what} ${median((figures[index] ?? []).map((each) => each[what])).toFixed(0)}`,
    );
    console.log(`${name.padEnd(6)} ${text.join("  ")}`);
  }
  const [ours = [], theirs = []] = figures;
  const ratios = MEASURED.map(
    (what) =>
      `${what} ${median(ours.map((each, round) => each[what] / (theirs[round] ?? each)[what])).toFixed(2)}`,
  );
  if (theirs.length > 0) console.log(`this / other: ${ratios.join("  ")}`);
} finally {
  for (const folder of data) await rm(folder, { recursive: true, force: true });
}
