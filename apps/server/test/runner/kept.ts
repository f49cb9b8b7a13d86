import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What outlives a run lies beside what npm installed, so that git never sees it and a clean clone begins anew. */
export const KEPT = new URL("../../../../node_modules/.cache/tidings-tests/", import.meta.url).pathname;

/** Compiled code of the workers, and of the servers and commands that tests start. */
export const COMPILED = join(KEPT, "compiled");

/** How long each file took when it passed last, in milliseconds. */
export type Durations = Readonly<Record<string, number>>;

/** A test that failed and then passed alone. */
export type Flaky = { at: string; file: string; test: string; reason: string };

export type Kept = {
  durations(): Durations;
  addDurations(added: Durations): void;
  addFlaky(found: readonly Flaky[]): void;
  /** The flaky tests that were kept, and the file that lists them, one a line. It has to be empty before a release. */
  flaky(): { tests: Flaky[]; path: string };
};

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};

/** What earlier runs kept in a folder, which need not be there yet. */
export function openKept(folder: string): Kept {
  const durationsFile = join(folder, "durations.json");
  const flakyFile = join(folder, "flaky.jsonl");
  const durations = (): Durations => JSON.parse(textOf(durationsFile) || "{}") as Durations;
  return {
    durations,
    addDurations(added) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(durationsFile, `${JSON.stringify({ ...durations(), ...added }, null, 1)}\n`);
    },
    addFlaky(found) {
      mkdirSync(folder, { recursive: true });
      for (const each of found) appendFileSync(flakyFile, `${JSON.stringify(each)}\n`);
    },
    flaky: () => ({
      tests: textOf(flakyFile)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Flaky),
      path: flakyFile,
    }),
  };
}
