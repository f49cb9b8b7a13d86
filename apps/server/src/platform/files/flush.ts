import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/** Has what was written to a file, or the names in a folder, stay whatever happens to the machine. */
export async function flush(path: string): Promise<void> {
  const opened = await open(path, "r");
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/** The same, for a start or a command that does nothing else meanwhile. */
export function flushSync(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
