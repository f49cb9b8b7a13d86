import type { App } from "../runtime.ts";
import { rouse } from "./changes.ts";
import { type Pause, quiet, restOf } from "./rest.ts";

/**
 * Repeated work whose queue is a table (sends, plans), so that there is no job per row. `turn` does some of what is due now and answers
 * whether there may be more. It runs in every process that works; leases in the database keep two of them from the same row.
 * (`aloneLoop` is for work that one process at a time does, `projectLoop` for work of many projects side by side.)
 */
export type Loop = {
  name: string;
  /** Which role of a process runs it. */
  role?: "worker" | "agent";
  /**
   * How long to rest when there was nothing to do, in milliseconds, while things change. Where nothing does, a loop rests up to half a minute,
   * until `nextAt`, or until something changes (`changes.ts`).
   */
  restMs: number | ((app: App) => number);
  /** When its next work comes due, as far as it knows, in epoch milliseconds. One that is over: it never rests longer than `restMs`. */
  nextAt?(app: App): number;
  /** @param isWoken whether `wake` requested this turn: then it need not be due */
  turn(app: App, signal: AbortSignal, isWoken?: boolean): Promise<boolean>;
  /** Waits for work that turns have begun and not awaited. */
  finish?(app: App): Promise<void>;
};

export const loop = (declared: Loop): Loop => declared;

const AFTER_A_FAILURE_MS = 1_000;
const NO_PAUSE: Pause = { paceMs: 0, nextInMs: 0 };

/** Lets a loop of this process take its next turn now. Where this process does not work, nothing happens: the loop keeps its time. */
export const wake = (app: App, declared: Loop): void => restOf(app, declared).wake();

/** Loops that are running. */
export type RunningLoops = { stop(): Promise<void> };

/** Runs loops until they are stopped; stopping waits for turns that are under way. */
export function startLoops(app: App, loops: readonly Loop[]): RunningLoops {
  const stopping = new AbortController();
  const { signal } = stopping;

  /** One turn; answers how long to rest after it. What it did may be work for other loops. */
  async function turnOnce({ name, restMs, nextAt, turn }: Loop, isWoken: boolean): Promise<Pause> {
    const pace = (): number => (typeof restMs === "number" ? restMs : restMs(app));
    try {
      if (await turn(app, signal, isWoken)) {
        rouse(app);
        return NO_PAUSE;
      }
      return { paceMs: pace(), nextInMs: (nextAt?.(app) ?? Number.POSITIVE_INFINITY) - app.clock() };
    } catch (cause) {
      app.log.error({ err: cause, loop: name }, "a turn failed; it will be tried again");
      return { paceMs: Math.max(pace(), AFTER_A_FAILURE_MS), nextInMs: 0 };
    }
  }

  async function run(declared: Loop): Promise<void> {
    const rest = restOf(app, declared);
    while (!signal.aborted) {
      const before = app.get(quiet).changes();
      await rest.take(await turnOnce(declared, rest.takeWake()), before, signal);
    }
    await declared.finish?.(app);
  }

  const done = Promise.all(loops.map(run));
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

/** Wakes every loop, then runs turns until none of them finds anything due, and none was woken by another. */
export async function drainLoops(app: App, loops: readonly Loop[]): Promise<void> {
  const { signal } = new AbortController();
  let isWoken = true;
  for (let busy = true; busy; isWoken = false) {
    busy = false;
    for (const declared of loops) {
      const isWanted = restOf(app, declared).takeWake();
      if (await declared.turn(app, signal, isWoken || isWanted)) busy = true;
      busy ||= isWanted;
    }
  }
}
