/**
 * Loaded into a server (`node --import`), it reports how long the event loop was blocked: at each SIGUSR2 it writes the longest delay since
 * the last one (ms) and the processor time so far (ms) to the file that LOOP_REPORT names.
 */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const file = process.env.LOOP_REPORT;
// The command starts other processes too, which inherit this file: only one of them listens.
if (file !== undefined && process.argv.includes("serve")) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let reports = 0;
  process.on("SIGUSR2", () => {
    const { user, system } = process.cpuUsage();
    const report = { reportNumber: ++reports, longestMs: delay.max / 1e6, cpuMs: (user + system) / 1_000 };
    delay.reset();
    writeFileSync(`${file}.new`, JSON.stringify(report));
    renameSync(`${file}.new`, file);
  });
}
