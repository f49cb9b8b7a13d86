import type { Chosen } from "./choice/choose.ts";
import { cpuMs } from "./cpu.ts";
import { type Counts, NO_TESTS, type Outcome } from "./protocol.ts";

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Where the runner prints: the screen, or a test's list. */
export type Print = (text: string) => void;

/** Prints a file with all its tests, as soon as it is done. */
export function sayFile(print: Print, { file, ms, cpuMs, text }: Outcome): void {
  print(`${file} (${seconds(ms)}, ${seconds(cpuMs)} of processor time)\n${text.trimEnd()}\n`);
}

const sum = (outcomes: readonly Outcome[], key: keyof Counts): number =>
  outcomes.reduce((total, { counts }) => total + counts[key], 0);

/** Prints what went wrong, once more at the end. */
export function sayFailures(print: Print, title: string, outcomes: readonly Outcome[]): void {
  for (const { file, failingText } of outcomes) print(`\n${title}: ${file}\n${failingText.trimEnd()}\n`);
}

/** Prints the sums, and where the time went. */
export function saySums(print: Print, outcomes: readonly Outcome[], ms: number): void {
  const slowest = outcomes.toSorted((a, b) => b.ms - a.ms).slice(0, 10);
  if (outcomes.length > 1) print("The slowest files, with their processor time:");
  if (outcomes.length > 1)
    for (const { file, ms, cpuMs } of slowest)
      print(`${seconds(ms).padStart(8)} ${seconds(cpuMs).padStart(8)}  ${file}`);
  const counted = (Object.keys(NO_TESTS) as (keyof Counts)[]).map((key) => `${key} ${sum(outcomes, key)}`);
  print(`files ${outcomes.length}, ${counted.join(", ")}`);
  print(`${seconds(ms)} of wall time, ${seconds(cpuMs())} of processor time`);
}

/** Prints how many files a run takes, and which slow ones it leaves out. */
export function sayChoice(print: Print, { whole, brief, left, why }: Chosen): void {
  print(`Test files: ${whole.length} wholly, ${brief.length} in brief, ${left.length} slow ones left out.`);
  if (brief.length > 0) print(`In brief: ${brief.join(", ")}`);
  if (left.length > 0) print(`Left out, because ${why}: ${left.join(", ")}`);
}
