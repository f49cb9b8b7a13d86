import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Reaches } from "./reach.ts";
import type { Repository } from "./repository.ts";

/** Where the slow files stand that were green; git has it, so that a clone knows them too. */
export const GREEN = new URL("../../green.json", import.meta.url).pathname;

/** Slow files by path, with the sum of what they stood on when they were green last. */
export type Green = Readonly<Record<string, string>>;

/** What was green, as a file says; nothing, where there is none. */
export function readGreen(path: string): Green {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Green;
  } catch {
    return {};
  }
}

/**
 * Keeps files that are green, beside those that were and are still there.
 * @param files all test files that there are
 */
export function writeGreen(path: string, found: Green, files: readonly string[]): void {
  const all = Object.entries({ ...readGreen(path), ...found }).filter(([file]) => files.includes(file));
  const sorted = Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Answers the sum of all that a test stands on: it is another one as soon as a byte of that changes. */
export function summing(repository: Repository, reaches: Reaches): (test: string) => string {
  const sums = new Map(
    [...repository.values()].map(({ path, text }) => [path, createHash("sha256").update(text).digest("hex")]),
  );
  return (test) => {
    const hash = createHash("sha256");
    for (const path of reaches.foundationOf(test)) hash.update(`${path} ${sums.get(path)}\n`);
    return hash.digest("hex").slice(0, 16);
  };
}
