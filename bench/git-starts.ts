/**
 * `node bench/git-starts.ts [--megabytes 250] [--rounds 50]`: how long a process with so much memory answers nothing while it starts git;
 * once by itself, once as the server does, by a small process.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { runGit } from "../apps/server/src/features/sources/git/running/run.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: { megabytes: { type: "string", default: "250" }, rounds: { type: "string", default: "50" } },
});
const [megabytes, rounds] = [Number(values.megabytes), Number(values.rounds)];
const memory = Array.from({ length: megabytes }, () => Buffer.alloc(1 << 20, 1));

/** Milliseconds in which a start keeps everything else waiting, in the median. */
async function blockedBy(start: () => Promise<unknown>): Promise<number> {
  await start();
  const blocked: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    const ended = start();
    blocked.push(performance.now() - from);
    await ended;
  }
  return median(blocked);
}

const byItself = await blockedBy(() => once(spawn("git", ["version"], { stdio: "ignore" }), "close"));
const bySmall = await blockedBy(() => runGit({ args: ["version"] }));
console.log(
  `${memory.length} MB: ${byItself.toFixed(1)} ms by itself, ${bySmall.toFixed(2)} ms by a small process; ratio ${(bySmall / byItself).toFixed(3)}`,
);
