import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../src/platform/db/embedded/postmaster.ts";

type Process = { pid: number; parent: number; command: string; environment: string };

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1").replaceAll("\0", " ");
  } catch {
    // The process has ended in between, or belongs to another user of the machine.
    return "";
  }
};

/** All processes of this machine; without /proc (macOS) as `ps` shows them, which tells no environment. */
function processes(): Process[] {
  if (!existsSync("/proc/self/stat")) {
    const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,command="], { encoding: "utf8" }).split("\n");
    return lines.flatMap((line) => {
      const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined
        ? []
        : [{ pid: Number(pid), parent: Number(parent), command, environment: "" }];
    });
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({
      pid: Number(pid),
      // "pid (name) state parent …": the name may contain anything, so it is read from its last bracket on.
      parent: Number(/.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0),
      command: read(`/proc/${pid}/cmdline`),
      environment: read(`/proc/${pid}/environ`),
    }));
}

/** Some processes and all below them. */
function withChildren(pids: Iterable<number>, all: readonly Process[]): Set<number> {
  const found = new Set(pids);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return found;
}

/**
 * The processes of a run that are alive: those that name its folder in their command or environment, and all below them. Parentage alone
 * would miss the PostgreSQL of a server that a test has killed.
 */
export function processesOf(folder: string): { pid: number; command: string }[] {
  const all = processes();
  const named = all.filter(
    ({ command, environment }) => command.includes(folder) || environment.includes(folder),
  );
  const found = withChildren(
    named.map(({ pid }) => pid),
    all,
  );
  return all.filter(({ pid }) => found.has(pid) && pid !== process.pid && isAlive(pid));
}

/** Sends a signal to a process that may have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/** Kills a process and all below it. */
export function killTree(pid: number): void {
  for (const each of withChildren([pid], processes())) signal(each, "SIGKILL");
}

const POSTGRES_STOPS_MS = 3_000;

/**
 * Ends every process of a run. Those that could start others go first; each PostgreSQL is asked to stop at once, so that it
 * removes its shared memory, and killed when it does not.
 */
export async function endProcessesOf(folder: string): Promise<void> {
  const isPostgres = ({ command }: { command: string }): boolean =>
    /\bpostgres\b/.test(command.split(" ")[0] ?? "") || command.startsWith("postgres:");
  let wasEmpty = false;
  for (const end = Date.now() + POSTGRES_STOPS_MS; ; await sleep(20)) {
    const left = processesOf(folder);
    // One that is just being started may show neither its command nor its environment: a second look finds it.
    if (left.length === 0 && wasEmpty) return;
    wasEmpty = left.length === 0;
    const others = left.filter((each) => !isPostgres(each));
    for (const { pid } of others) signal(pid, "SIGKILL");
    if (others.length > 0) continue;
    for (const { pid, command } of left) {
      if (Date.now() > end) signal(pid, "SIGKILL");
      else if (command.includes(" -D ")) signal(pid, "SIGQUIT");
    }
    if (Date.now() > end + POSTGRES_STOPS_MS)
      throw new Error(`Still running: ${left.map(({ pid }) => pid).join(", ")}`);
  }
}
