/**
 * Loaded into a server (`node --import`), it reports how long the event loop was blocked: at each SIGUSR2 it writes the longest delay since
 * the last one (ms), the most processor time of its thread between two looks of a timer (ms), and the processor time so far (ms) to the file
 * that LOOP_REPORT names.
 */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const file = process.env.LOOP_REPORT;
// The command starts other processes too, which inherit this file: only one of them listens.
if (file !== undefined && process.argv.includes("serve")) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let reports = 0;
  let [last, longestCpu] = [0, 0];
  // On a machine that is busy with other things too, a delay may be theirs: the processor time of this thread is not.
  setInterval(() => {
    const { user, system } = process.threadCpuUsage();
    const used = user + system;
    longestCpu = Math.max(longestCpu, used - last);
    last = used;
  }, 1).unref();
  process.on("SIGUSR2", () => {
    const { user, system } = process.cpuUsage();
    const report = {
      reportNumber: ++reports,
      longestMs: delay.max / 1e6,
      longestCpuMs: longestCpu / 1_000,
      cpuMs: (user + system) / 1_000,
    };
    delay.reset();
    longestCpu = 0;
    writeFileSync(`${file}.new`, JSON.stringify(report));
    renameSync(`${file}.new`, file);
  });
}
