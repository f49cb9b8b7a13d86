import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "./runtime.ts";

/**
 * Work that comes round by itself and that tables already queue (sends, plans): no job per row. `turn` does what is due now, as
 * far as it likes, and says whether there may be more. It runs in every process that works; claims in the database keep them apart.
 */
export type Loop = {
  name: string;
  /** How long to rest when there was nothing to do, in milliseconds. */
  restMs: number;
  turn(app: App, signal: AbortSignal): Promise<boolean>;
  /** Waits for what turns left under way. */
  finish?(app: App): Promise<void>;
};

export const loop = (declared: Loop): Loop => declared;

const AFTER_A_FAILURE_MS = 1_000;

/** Loops that are running. */
export type RunningLoops = { stop(): Promise<void> };

/** Runs loops until they are stopped; what is under way then is finished. */
export function startLoops(app: App, loops: readonly Loop[]): RunningLoops {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run({ name, restMs, turn, finish }: Loop): Promise<void> {
    while (!signal.aborted) {
      let rest = restMs;
      try {
        if (await turn(app, signal)) rest = 0;
      } catch (cause) {
        app.log.error({ err: cause, loop: name }, "a turn failed; it will be tried again");
        rest = Math.max(restMs, AFTER_A_FAILURE_MS);
      }
      if (rest > 0) await sleep(rest, undefined, { signal }).catch(() => undefined);
    }
    await finish?.(app);
  }

  const done = Promise.all(loops.map(run));
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}

/** Turns loops until none of them finds anything due now. */
export async function drainLoops(app: App, loops: readonly Loop[]): Promise<void> {
  const { signal } = new AbortController();
  for (let busy = true; busy; ) {
    busy = false;
    for (const { turn } of loops) if (await turn(app, signal)) busy = true;
  }
}
