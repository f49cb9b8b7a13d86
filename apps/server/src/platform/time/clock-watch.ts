import { type App, resource } from "../runtime.ts";
import { MINUTE_MS, SECOND_MS } from "./clock.ts";
import { CLOCKS_DIFFER_MS } from "./far-ahead.ts";

/**
 * A clock that goes on by so much more or less than the steady one was set by a person or a program. A clock that is so far from the
 * database's gets a line in the log.
 */
const WORTH_LOGGING_MS = 5 * SECOND_MS;

/** How long a clock has to have gone evenly before anything is deleted for its age. */
const TRUSTED_AFTER_MS = 10 * MINUTE_MS;

/** What a clock showed, and the readings of `performance.now()` between which it was read; in milliseconds. */
export type ClockReading = { at: number; from: number; to: number };

/** What a process knows of its clock. */
export type ClockWatch = {
  /** Compares the clock with the database's and with the steady one. To be called every few seconds. */
  look(database: ClockReading): void;
  /** By how much (ms) the clock was ahead of the database's at the last look; below 0 where it was behind, null before the first. */
  aheadMs(): number | null;
  /** Whether the clock was so far from the database's that what others wrote cannot be judged by it. */
  isApart(): boolean;
  /** Whether rows may be deleted for their age: a clock that is ahead for a moment, as after a start, would delete what is young. */
  isTrusted(): boolean;
};

/** How far an instant lies outside of a span of time; below 0 where it is before. */
const outside = (at: number, from: number, to: number): number =>
  at < from ? at - from : at > to ? at - to : 0;

/**
 * Whether a clock was set between two readings, and by how much (ms). A reading takes some time, so the steady clock was between two
 * instants at each of them.
 */
export function clockStep(before: ClockReading, after: ClockReading): number {
  const step = outside(after.at - before.at, after.from - before.to, after.to - before.from);
  return Math.abs(step) < WORTH_LOGGING_MS ? 0 : step;
}

const inSeconds = (ms: number): number => Math.round(ms / SECOND_MS);

export function createClockWatch({ clock, log }: Pick<App, "clock" | "log">): ClockWatch {
  let last: { own: ClockReading; aheadMs: number } | null = null;
  let steadySince: number | null = null;
  let wasLogged = false;

  function logStep(step: number): void {
    if (step === 0) return;
    const how = step > 0 ? "forward" : "back";
    log.warn(
      { seconds: inSeconds(step) },
      `the clock of this process was set ${how}; what is due is found by the new time, and what was written keeps its instants`,
    );
  }

  function logDifference(aheadMs: number): void {
    const isWorthLogging = Math.abs(aheadMs) >= WORTH_LOGGING_MS;
    if (isWorthLogging && !wasLogged)
      log.error(
        { seconds: inSeconds(aheadMs) },
        "the clocks of this process and of the database differ; set them by NTP",
      );
    if (!isWorthLogging && wasLogged) log.info("the clocks of this process and of the database agree again");
    wasLogged = isWorthLogging;
  }

  return {
    look({ at, from, to }) {
      const [now, steadyMs] = [clock(), performance.now()];
      const own = { at: now, from: steadyMs, to: steadyMs };
      const step = last === null ? 0 : clockStep(last.own, own);
      if (steadySince === null || step !== 0) steadySince = steadyMs;
      logStep(step);
      // By now, the database's clock has gone on by the time since it was read.
      const aheadMs = outside(now, at + (steadyMs - to), at + (steadyMs - from));
      logDifference(aheadMs);
      last = { own, aheadMs };
    },
    aheadMs: () => last?.aheadMs ?? null,
    isApart: () => last !== null && Math.abs(last.aheadMs) > CLOCKS_DIFFER_MS,
    isTrusted: () =>
      last === null ||
      (Math.abs(last.aheadMs) <= CLOCKS_DIFFER_MS &&
        steadySince !== null &&
        performance.now() - steadySince >= TRUSTED_AFTER_MS),
  };
}

/** What this process knows of its clock. Its heartbeats look; a process without them runs its loops by hand. */
export const clockWatch = resource(createClockWatch);
