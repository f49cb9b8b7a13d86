import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../../src/platform/db/embedded/postmaster.ts";

/** Sends SIGKILL; one that has ended already is as good. */
export function killHard(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** The living PostgreSQL of a data folder, or null. Only a process that says so itself is taken for it. */
export function postmasterOf(dataDir: string): number | null {
  const pgData = join(dataDir, "postgres");
  const pid = Number(read(join(pgData, "postmaster.pid")).split("\n")[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return null;
  if (existsSync("/proc/self/cmdline") && !read(`/proc/${pid}/cmdline`).includes(pgData)) return null;
  return pid;
}

/** [process, its parent] of everything on the machine. */
function everyProcess(): [number, number][] {
  if (!existsSync("/proc/self/stat")) {
    const listed = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
    return listed
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .map(([pid, parent]) => [Number(pid), Number(parent)]);
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      // The name of the program is in parentheses and may contain anything: what follows the last one is fixed.
      const stat = read(`/proc/${name}/stat`);
      return [Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])];
    });
}

/** PostgreSQL as a whole: the postmaster, then the processes it has started. */
export function postgresOf(dataDir: string): number[] {
  const postmaster = postmasterOf(dataDir);
  if (postmaster === null) return [];
  const children = everyProcess().filter(([, parent]) => parent === postmaster);
  return [postmaster, ...children.map(([pid]) => pid)];
}
