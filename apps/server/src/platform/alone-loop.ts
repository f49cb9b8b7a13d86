import { endTurn, takeTurn } from "./alone-loop-store.ts";
import { SECOND_MS } from "./clock.ts";
import { type Loop, loop } from "./loops.ts";
import { processes } from "./processes.ts";
import { type App, resource } from "./runtime.ts";

/** While another process has the turn, this one looks again so often: that process may die in the middle. */
const LOOK_AGAIN_MS = 5 * SECOND_MS;
/** The same where this process was asked for a turn (`wake`). */
const WANTED_AGAIN_MS = SECOND_MS;

/** Work that one process at a time does, all processes on the database taken together. */
export type AloneLoop = {
  name: string;
  /** From the beginning of one turn to the beginning of the next, in milliseconds. */
  everyMs: number;
  /** May be repeated, and may meet itself: a process that hung is replaced, and may come to itself. Ends early when `signal` says so. */
  turn(app: App, signal: AbortSignal): Promise<void>;
};

/** What one process knows of a loop that processes take in turns. Instants are those of `performance.now()`. */
type Known = {
  /** When the next turn is due, or may be. */
  dueAt: number;
  /** Whether `wake` asked for a turn that was not had yet. */
  isWanted: boolean;
  isRunning: boolean;
};

/**
 * A loop with a period that holds for all processes together: a row says when the next turn is due and which process has this one.
 * A turn that fails is tried again, a little later each time; one whose process is gone is done by another. A turn that is overdue
 * begins with the next look.
 */
export function aloneLoop({ name, everyMs, turn }: AloneLoop): Loop {
  const knowledge = resource((): Known => ({ dueAt: 0, isWanted: false, isRunning: false }));

  async function end(app: App, leaseOwner: string, known: Known, hasFailed: boolean): Promise<void> {
    const dueInMs = await endTurn(app.database.pool, { name, leaseOwner, hasFailed });
    if (dueInMs !== null) known.dueAt = performance.now() + dueInMs;
  }

  async function turnIfDue(app: App, signal: AbortSignal, known: Known): Promise<void> {
    const leaseOwner = app.get(processes).leaseOwner();
    const { isWanted } = known;
    // Should the database not answer, it is due still.
    known.dueAt = performance.now();
    const { isTaken, dueInMs } = await takeTurn(app.database.pool, { name, leaseOwner, everyMs, isWanted });
    known.dueAt = performance.now() + (dueInMs ?? (isWanted ? WANTED_AGAIN_MS : LOOK_AGAIN_MS));
    if (!isTaken) return;
    known.isWanted = false;
    try {
      await turn(app, signal);
    } catch (cause) {
      known.dueAt = performance.now();
      // Where that cannot be written, this process still has the lease, and takes the turn again by it.
      await end(app, leaseOwner, known, true).catch(() => undefined);
      throw cause;
    }
    await end(app, leaseOwner, known, false);
  }

  return loop({
    name,
    restMs: (app) => app.get(knowledge).dueAt - performance.now(),
    async turn(app, signal, isWoken = false) {
      const known = app.get(knowledge);
      known.isWanted ||= isWoken;
      if (known.isRunning || (!known.isWanted && performance.now() < known.dueAt)) return false;
      known.isRunning = true;
      try {
        await turnIfDue(app, signal, known);
      } finally {
        known.isRunning = false;
      }
      return false;
    },
  });
}
