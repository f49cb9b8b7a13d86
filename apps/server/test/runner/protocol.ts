/** What the runner tells a worker: run this file, given by its path from a folder, in whole or a few of its rounds. */
export type Order = { root: string; file: string; isBrief: boolean };

/** A test that failed, by its names from the outermost suite inwards, with the first line of its error. */
export type Failure = { test: string; reason: string };

export type Counts = { tests: number; passed: number; failed: number; skipped: number };

/** What became of a file. */
export type Outcome = {
  file: string;
  ms: number;
  /** Processor time of the worker and of what it started and has ended, without the PostgreSQL that all share; 0 where that is not known. */
  cpuMs: number;
  counts: Counts;
  failures: Failure[];
  /** What the spec reporter says of every test. */
  text: string;
  /** What the spec reporter says of those that failed: place, error with its difference, stack. */
  failingText: string;
};

/** What a worker tells the runner: a test has begun or has ended, or the file is done. */
export type Report =
  | { type: "began"; test: string }
  | { type: "ended"; test: string }
  | { type: "done"; outcome: Outcome };

export const NO_TESTS: Counts = { tests: 0, passed: 0, failed: 0, skipped: 0 };
