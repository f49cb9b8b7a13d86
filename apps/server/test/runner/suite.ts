import { availableParallelism } from "node:os";
import { deal } from "./deal.ts";
import type { Flaky, Kept } from "./kept.ts";
import { type Pool, runFiles } from "./pool.ts";
import type { Outcome } from "./protocol.ts";
import { type Print, sayFailures, sayFile } from "./report.ts";

const MIN_WORKERS = 2;
const MAX_WORKERS = 4;

const isGreen = ({ failures }: Outcome): boolean => failures.length === 0;

/** Tests that failed at first and not when their file ran again. */
function flakyOf(first: Outcome, again: Outcome): Flaky[] {
  const stillFails = new Set(again.failures.map(({ test }) => test));
  const at = new Date().toISOString();
  return first.failures
    .filter(({ test }) => !stillFails.has(test))
    .map(({ test, reason }) => ({ at, file: first.file, test, reason }));
}

/** What became of a run. */
export type Played = {
  outcomes: Outcome[];
  isGreen: boolean;
  /** Files whose tests were all green at once: none had a second try, and none was skipped for what this machine lacks. */
  greenAtOnce: string[];
};

/**
 * Runs the files side by side, then each that failed once more, alone and in a process of its own. What passes then is flaky: it is
 * printed and kept in a list, and does not fail the run.
 */
export async function runSuite(
  files: readonly string[],
  pool: Pool,
  kept: Kept,
  print: Print,
): Promise<Played> {
  const outcomes = new Map<string, Outcome>();
  const workers = Math.max(MIN_WORKERS, Math.min(MAX_WORKERS, availableParallelism()));
  const notBegun = await runFiles(pool, deal(pool.root, files, kept.durations()), workers, (outcome) => {
    outcomes.set(outcome.file, outcome);
    sayFile(print, outcome);
  });
  if (pool.flags.length === 0)
    kept.addDurations(
      Object.fromEntries([...outcomes.values()].filter(isGreen).map(({ file, ms }) => [file, ms])),
    );

  const greenAtOnce = [...outcomes.values()]
    .filter((outcome) => isGreen(outcome) && outcome.counts.skipped === 0)
    .map(({ file }) => file);
  const flaky: Flaky[] = [];
  for (const first of [...outcomes.values()].filter((outcome) => !isGreen(outcome))) {
    await runFiles(pool, [first.file], 1, (again) => {
      flaky.push(...flakyOf(first, again));
      outcomes.set(first.file, again);
      sayFailures(print, isGreen(again) ? "Failed at first, passed alone" : "Failed at first", [first]);
    });
  }
  sayFailures(
    print,
    "Failed",
    [...outcomes.values()].filter((outcome) => !isGreen(outcome)),
  );
  kept.addFlaky(flaky);
  for (const { file, test, reason } of flaky) print(`FLAKY ${file}: ${test}: ${reason}`);
  const { tests, path } = kept.flaky();
  if (tests.length > 0)
    print(`${tests.length} in the list of flaky tests, which has to be empty before a release: ${path}`);
  if (notBegun.length > 0)
    print(`\nNot begun, because the time of the run was over:\n${notBegun.join("\n")}\n`);
  return {
    outcomes: [...outcomes.values()],
    isGreen: notBegun.length === 0 && [...outcomes.values()].every(isGreen),
    greenAtOnce,
  };
}
