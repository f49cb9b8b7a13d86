import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** With these flags a process writes on SIGUSR2 where it is: its stack and what it waits for, without its environment. */
export const REPORTS: readonly string[] = [
  "--report-on-signal",
  "--report-exclude-env",
  `--report-directory=${tmpdir()}`,
];
const REPORT_MS = 2_000;
const WAITED_FOR: ReadonlySet<string> = new Set(["pipe", "process", "tcp", "timer"]);

const Report = z.object({
  javascriptStack: z.object({ stack: z.array(z.string()).optional() }),
  libuv: z.array(z.looseObject({ type: z.string(), is_active: z.boolean().optional() })),
});

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** Whether a process has ended; one that a signal ended has no exit code. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** What a process reports of itself, or says that it does not: then its one thread is busy or stands still. */
async function reportOf(child: ChildProcess): Promise<string> {
  child.kill("SIGUSR2");
  for (const end = Date.now() + REPORT_MS; Date.now() < end; await sleep(50)) {
    const name = readdirSync(tmpdir()).find((each) =>
      new RegExp(`^report\\..*\\.${child.pid}\\.`).test(each),
    );
    const text = name === undefined ? "" : read(join(tmpdir(), name));
    if (!text.trimEnd().endsWith("}")) continue;
    const { javascriptStack, libuv } = Report.parse(JSON.parse(text));
    const open = libuv.filter((each) => each.is_active && WAITED_FOR.has(each.type));
    return [...(javascriptStack.stack ?? []), ...open.map((each) => JSON.stringify(each))].join("\n");
  }
  return "It wrote no report.";
}

/** Everything there is to know of a process that does not get on: whether it lives, what it waits for, what it said. */
export async function describeStuck(
  child: ChildProcess,
  printed: Readonly<{ stdout: string; stderr: string }>,
): Promise<string> {
  const status = /^State:.*$/m.exec(read(`/proc/${child.pid}/status`))?.[0] ?? "State: gone";
  return [
    `process ${child.pid}, exit code ${child.exitCode}, signal ${child.signalCode}, ${status}`,
    `in the kernel: ${read(`/proc/${child.pid}/wchan`) || "unknown"}`,
    `stdout: ${printed.stdout.trim() || "nothing"}`,
    `stderr: ${printed.stderr.trim() || "nothing"}`,
    ...(hasEnded(child) ? [] : [await reportOf(child)]),
  ].join("\n");
}
