import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Started } from "./processes.ts";

const REPORT_WAIT_MS = 60_000;

/** How long an event loop was blocked at most: by the clock, and in processor time of its thread, in milliseconds. */
export type LongestDelays = { longestMs: number; longestCpuMs: number };

/** Has a server report how long its event loop was blocked (`loop-delay.ts`). `env` is what it is started with; `folder` takes the reports. */
export function loopReport(folder: string) {
  const file = join(folder, "loop.json");
  let reports = 0;
  return {
    env: {
      NODE_OPTIONS: `--import=${new URL("./loop-delay.ts", import.meta.url).href}`,
      LOOP_REPORT: file,
    },
    /** Since the last report. */
    async longestDelays(server: Started): Promise<LongestDelays> {
      server.process.kill("SIGUSR2");
      reports++;
      for (const until = Date.now() + REPORT_WAIT_MS; Date.now() < until; await sleep(5)) {
        const text = await readFile(file, "utf8").catch(() => "{}");
        const report = JSON.parse(text) as LongestDelays & { reportNumber?: number };
        if (report.reportNumber === reports) return report;
      }
      throw new Error("The server does not report how long its event loop was blocked.");
    },
  };
}
