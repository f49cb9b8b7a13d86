import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";

/** Writes all of a new file, down to the disk, open to its owner only. */
export function writeDurably(path: string, text: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
