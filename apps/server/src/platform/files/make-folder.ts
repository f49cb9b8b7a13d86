import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Makes a folder with all those above it, where they are not there. One level at a time: in some places (`/proc`) `mkdirSync` with
 * `recursive` never comes back.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it in between.
    if (!isFolder(path)) throw error;
  }
}
