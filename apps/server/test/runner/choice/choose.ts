import { relative } from "node:path";
import type { RunArguments } from "../arguments.ts";
import { isTest } from "./areas.ts";
import { changedSince } from "./changes.ts";
import { GREEN, type Green, readGreen, summing, writeGreen } from "./green.ts";
import { createReaches, type Reaches } from "./reach.ts";
import { readRepository } from "./repository.ts";
import { SLOW, type SlowFiles } from "./slow.ts";

/** Which files a run takes. */
export type Choice = {
  whole: readonly string[];
  /** Slow files that play a few of their rounds. */
  brief: readonly string[];
  /** Slow files that are left out. */
  left: readonly string[];
};

/** Why a file is slow, or null for a quick one. */
export const slowness = (file: string): SlowFiles | null =>
  SLOW.find(({ files }) => file.startsWith(files)) ?? null;

const allOf = (files: readonly string[]): Choice => ({ whole: files, brief: [], left: [] });

/** Divides files: quick ones are run wholly, and of the slow ones those that have to be. */
function divide(files: readonly string[], isWhole: (file: string) => boolean): Choice {
  const whole = files.filter((file) => slowness(file) === null || isWhole(file));
  const others = files.filter((file) => !whole.includes(file));
  const isBrief = (file: string): boolean => slowness(file)?.isBrief === true;
  return { whole, brief: others.filter(isBrief), left: others.filter((file) => !isBrief(file)) };
}

/**
 * The files of `npm test`: all quick ones, and the slow ones that were not green yet with what they stand on now.
 * @param sumOf the sum of what a test stands on
 */
export const chooseUnproven = (
  files: readonly string[],
  green: Green,
  sumOf: (test: string) => string,
): Choice => divide(files, (file) => green[file] !== sumOf(file));

/** The files of `npm test -- --changed`: what changes can reach, and of the slow ones wholly only those that changed themselves. */
export const chooseReached = (
  files: readonly string[],
  changed: readonly string[],
  reaches: Reaches,
): Choice =>
  divide(
    files.filter((file) => reaches.isReached(file, changed)),
    (file) => changed.includes(file),
  );

/** The files of a run, and what becomes of those that were green. */
export type Chosen = Choice & {
  /** Why slow files are left out. */
  why: string;
  /** Keeps slow files that a run of all found green at once, unless what they stand on was changed meanwhile. */
  keepGreen(greenAtOnce: readonly string[]): void;
};

/**
 * Chooses the files of a run.
 * @throws Error where no file has the name that was given, or git does not know the revision
 */
export function chooseFiles(root: string, wanted: RunArguments): Chosen {
  const repository = readRepository(root);
  const reaches = createReaches(repository);
  const tests = [...repository.keys()].filter(isTest);
  const parts = wanted.parts.map((part) => relative("", part));
  const named = tests.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
  if (named.length === 0) throw new Error(`No test file matches ${wanted.parts.join(" ")}.`);

  function choose(): Choice {
    if (wanted.since !== null) return chooseReached(named, changedSince(root, wanted.since), reaches);
    const isWhole = wanted.isAll || wanted.isLong || parts.length > 0;
    return isWhole ? allOf(named) : chooseUnproven(named, readGreen(GREEN), summing(repository, reaches));
  }
  return {
    ...choose(),
    why:
      wanted.since === null
        ? "they were green with all that they stand on (npm test -- --all runs them too)"
        : "a change reaches them, and npm test runs them",
    keepGreen(greenAtOnce) {
      const isOfAll = (wanted.isAll || wanted.isLong) && wanted.flags.length === 0;
      if (!isOfAll) return;
      const now = readRepository(root);
      const [sumBefore, sumNow] = [summing(repository, reaches), summing(now, createReaches(now))];
      const slow = greenAtOnce.filter((file) => slowness(file) !== null);
      const found = slow.filter((file) => sumNow(file) === sumBefore(file));
      writeGreen(GREEN, Object.fromEntries(found.map((file) => [file, sumNow(file)])), tests);
    },
  };
}
