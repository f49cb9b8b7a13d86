import { type App, resource } from "../runtime.ts";
import { SECOND_MS } from "../time/clock.ts";

/**
 * The longest that a loop rests where nothing changes and nothing comes due. A change of which no process learns, such as one made with
 * `psql`, waits for so long at most.
 */
export const LONGEST_REST_MS = 30 * SECOND_MS;

/** How long a loop rests: `paceMs` while things change; else until `nextInMs` (its next work comes due), and not longer than it may. */
export type Pause = { paceMs: number; nextInMs: number };

/** The pause of a loop between two turns in one process. */
class Rest {
  readonly #quiet: Quiet;
  #isWoken = false;
  /** Ends the pause that is under way, or makes it as short as it is while things change. */
  #end: () => void = () => undefined;
  #rouse: () => void = () => undefined;

  constructor(quiet: Quiet) {
    this.#quiet = quiet;
  }

  wake(): void {
    this.#isWoken = true;
    this.#end();
  }

  rouse(): void {
    this.#rouse();
  }

  /** Answers whether `wake` was called since the last call of this. */
  takeWake(): boolean {
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    return isWoken;
  }

  /** @param sinceChange the number of changes when the turn before this pause began: what has changed since may be work for the loop */
  async take({ paceMs, nextInMs }: Pause, sinceChange: number, signal: AbortSignal): Promise<void> {
    if (paceMs <= 0 || this.#isWoken || signal.aborted) return;
    const began = performance.now();
    const longMs = Math.max(paceMs, Math.min(nextInMs, LONGEST_REST_MS));
    const ms = this.#quiet.isSince(sinceChange) ? longMs : paceMs;
    const { promise, resolve } = Promise.withResolvers<void>();
    let timer = setTimeout(resolve, ms);
    this.#end = resolve;
    this.#rouse = () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, Math.max(0, began + paceMs - performance.now()));
      this.#rouse = () => undefined;
    };
    signal.addEventListener("abort", this.#end);
    await promise;
    clearTimeout(timer);
    this.#rouse = () => undefined;
    signal.removeEventListener("abort", this.#end);
  }
}

/** What one process knows of changes that loops may have work with. */
class Quiet {
  /** By loop. */
  readonly rests = new Map<object, Rest>();
  #changes = 0;
  #learnsOfOthers = false;

  /** The number of changes so far. */
  changes(): number {
    return this.#changes;
  }

  /** Whether a loop may rest for long: nothing has changed since that number of changes, and all changes reach this process. */
  isSince(changes: number): boolean {
    return this.#learnsOfOthers && changes === this.#changes;
  }

  change(): void {
    this.#changes++;
    for (const rest of this.rests.values()) rest.rouse();
  }

  /** Records whether changes by other processes reach this one: as long as they do not, no loop rests for long. */
  learnsOfOthers(does: boolean): void {
    if (this.#learnsOfOthers === does) return;
    this.#learnsOfOthers = does;
    this.change();
  }
}

export const quiet = resource(() => new Quiet());

/** The pause of a loop in this process. */
export function restOf(app: App, loop: object): Rest {
  const { rests } = app.get(quiet);
  const rest = rests.get(loop) ?? new Rest(app.get(quiet));
  rests.set(loop, rest);
  return rest;
}
