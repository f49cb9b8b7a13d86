import { type App, resource } from "../runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../time/clock.ts";
import { clockWatch } from "../time/clock-watch.ts";
import { endTurn, takeTurn } from "./alone-loop-store.ts";
import { type Loop, loop } from "./loops.ts";
import { processes } from "./processes.ts";

/** How often a process looks again while another one has the turn, which may die before its end. */
const LOOK_AGAIN_MS = 5 * SECOND_MS;
/** The same for a process in which `wake` has requested a turn. */
const WANTED_AGAIN_MS = SECOND_MS;
/** A look that comes so little before a turn is due was meant for it: timers and the database's clock differ by as much. */
const JUST_EARLY_MS = 20;
/** How often a process looks again whether its clock can be trusted. */
const UNTRUSTED_AGAIN_MS = MINUTE_MS;

/** Work that one process at a time does, all processes on the database taken together. */
export type AloneLoop = {
  name: string;
  /** From the beginning of one turn to the beginning of the next, in milliseconds. */
  everyMs: number;
  /** Whether it deletes rows for their age: a process whose clock may be wrong then leaves the turn to others. */
  deletesByAge?: boolean;
  /**
   * Must be harmless when it is repeated or runs twice at once: a process that hangs is replaced, and may wake up later. Ends early when
   * `signal` is aborted. May answer when work comes due next (epoch milliseconds), for which the loop is awake also where nothing changes.
   */
  turn(app: App, signal: AbortSignal): Promise<number> | Promise<void>;
};

/** One process' state of a loop that processes take in turns. Instants are those of `performance.now()`. */
type Known = {
  /** When the next turn is due, or when to look again whether it is. */
  dueAt: number;
  /** Whether `wake` has requested a turn that has not begun yet. */
  isWanted: boolean;
  isRunning: boolean;
  /** Whether the last look came before the next turn was due: something has changed since the last one, so the loop rests no longer than until then. */
  isEarly: boolean;
  /** When work comes due, as the last turn of this process said; epoch milliseconds. */
  nextAt: number;
};

/**
 * A loop with one period for all processes together: a row says when the next turn is due and which process has the present one. A
 * turn that fails is tried again, later each time; when its process is gone, another process takes it. An overdue turn begins as soon
 * as a process looks.
 */
export function aloneLoop({ name, everyMs, deletesByAge = false, turn }: AloneLoop): Loop {
  const knowledge = resource(
    (): Known => ({
      dueAt: 0,
      isWanted: false,
      isRunning: false,
      isEarly: false,
      nextAt: Number.POSITIVE_INFINITY,
    }),
  );

  async function end(app: App, leaseOwner: string, known: Known, hasFailed: boolean): Promise<void> {
    const dueInMs = await endTurn(app.database.pool, { name, leaseOwner, everyMs, hasFailed });
    if (dueInMs !== null) known.dueAt = performance.now() + dueInMs;
  }

  async function turnIfDue(app: App, signal: AbortSignal, known: Known): Promise<void> {
    const leaseOwner = app.get(processes).leaseOwner();
    const { isWanted } = known;
    if (deletesByAge && !app.get(clockWatch).isTrusted()) {
      known.dueAt = performance.now() + UNTRUSTED_AGAIN_MS;
      return;
    }
    // If the database does not answer, the turn stays due.
    known.dueAt = performance.now();
    const { isTaken, dueInMs } = await takeTurn(app.database.pool, { name, leaseOwner, everyMs, isWanted });
    known.dueAt = performance.now() + (dueInMs ?? (isWanted ? WANTED_AGAIN_MS : LOOK_AGAIN_MS));
    // Where it is due much later, another process has had the turn meanwhile, and has seen the change.
    known.isEarly = !isTaken && dueInMs !== null && (dueInMs <= JUST_EARLY_MS || !known.isEarly);
    if (!isTaken) return;
    known.isWanted = false;
    try {
      known.nextAt = (await turn(app, signal)) ?? Number.POSITIVE_INFINITY;
    } catch (cause) {
      known.dueAt = performance.now();
      // If that cannot be written, this process keeps the lease and takes the turn again.
      await end(app, leaseOwner, known, true).catch(() => undefined);
      throw cause;
    }
    await end(app, leaseOwner, known, false);
  }

  return loop({
    name,
    restMs: (app) => app.get(knowledge).dueAt - performance.now(),
    // A turn that was requested is due as soon as this process can have it.
    nextAt(app) {
      const { isWanted, isEarly, dueAt, nextAt } = app.get(knowledge);
      if (isWanted) return app.clock();
      return isEarly ? Math.min(nextAt, app.clock() + dueAt - performance.now()) : nextAt;
    },
    async turn(app, signal, isWoken = false) {
      const known = app.get(knowledge);
      known.isWanted ||= isWoken;
      if (known.isRunning) return false;
      if (!known.isWanted && performance.now() < known.dueAt) {
        known.isEarly = true;
        return false;
      }
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
