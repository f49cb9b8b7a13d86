import { type App, resource } from "../runtime.ts";

/**
 * Repeated work whose queue is a table (sends, plans), so that there is no job per row. `turn` does some of what is due now and answers
 * whether there may be more. It runs in every process that works; leases in the database keep two of them from the same row.
 * (`aloneLoop` is for work that one process at a time does, `projectLoop` for work of many projects side by side.)
 */
export type Loop = {
  name: string;
  /** Which role of a process runs it. */
  role?: "worker" | "agent";
  /** How long to rest when there was nothing to do, in milliseconds. */
  restMs: number | ((app: App) => number);
  /** @param isWoken whether `wake` requested this turn: then it need not be due */
  turn(app: App, signal: AbortSignal, isWoken?: boolean): Promise<boolean>;
  /** Waits for work that turns have begun and not awaited. */
  finish?(app: App): Promise<void>;
};

export const loop = (declared: Loop): Loop => declared;

const AFTER_A_FAILURE_MS = 1_000;

/** The pause of a loop between two turns in one process, which `wake` ends early. */
class Rest {
  #isWoken = false;
  #end: () => void = () => undefined;

  wake(): void {
    this.#isWoken = true;
    this.#end();
  }

  /** Answers whether `wake` was called since the last call of this. */
  takeWake(): boolean {
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    return isWoken;
  }

  async take(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || this.#isWoken || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#end = resolve;
    signal.addEventListener("abort", this.#end);
    await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", this.#end);
  }
}

const rests = resource(() => new Map<Loop, Rest>());

function restOf(app: App, declared: Loop): Rest {
  const known = app.get(rests);
  const rest = known.get(declared) ?? new Rest();
  known.set(declared, rest);
  return rest;
}

/** Lets a loop of this process take its next turn now. Where this process does not work, nothing happens: the loop keeps its time. */
export const wake = (app: App, declared: Loop): void => restOf(app, declared).wake();

/** Loops that are running. */
export type RunningLoops = { stop(): Promise<void> };

/** Runs loops until they are stopped; stopping waits for turns that are under way. */
export function startLoops(app: App, loops: readonly Loop[]): RunningLoops {
  const stopping = new AbortController();
  const { signal } = stopping;

  /** One turn; answers how long to rest after it. */
  async function turnOnce({ name, restMs, turn }: Loop, isWoken: boolean): Promise<number> {
    const resting = (): number => (typeof restMs === "number" ? restMs : restMs(app));
    try {
      return (await turn(app, signal, isWoken)) ? 0 : resting();
    } catch (cause) {
      app.log.error({ err: cause, loop: name }, "a turn failed; it will be tried again");
      return Math.max(resting(), AFTER_A_FAILURE_MS);
    }
  }

  async function run(declared: Loop): Promise<void> {
    const rest = restOf(app, declared);
    while (!signal.aborted) {
      const restMs = await turnOnce(declared, rest.takeWake());
      await rest.take(restMs, signal);
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
