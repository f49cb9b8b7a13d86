import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** The files of a run have taken 2 GB at most; the rest is for the programs that it starts. */
const WANTED_BYTES = 8e9;

/** Whether programs can be started there: tests put a browser and scripts into their folders. */
function runsPrograms(folder: string): boolean {
  const made = mkdtempSync(join(folder, "tidings-probe-"));
  try {
    const program = join(made, "probe");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(program);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(made, { recursive: true });
  }
}

/**
 * Where a run puts its folder: into memory where the system has room for it there, because each test file makes a database of its own, and a
 * disk takes longer for its thousand files than for all that is then done with them. TMPDIR chooses another place.
 */
export function placeOfRun(): string {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) >= WANTED_BYTES && runsPrograms(MEMORY)) return MEMORY;
  } catch {
    // It is not there (macOS), or belongs to another user of the machine.
  }
  return tmpdir();
}
