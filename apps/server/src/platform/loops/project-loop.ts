import { setTimeout as sleep } from "node:timers/promises";
import { type App, resource } from "../runtime.ts";
import { SECOND_MS } from "../time/clock.ts";
import { isDue, type Look } from "../time/far-ahead.ts";
import { type Loop, loop } from "./loops.ts";
import { LONGEST_REST_MS } from "./rest.ts";

const LOOK_AGAIN_MS = 500;
/** A project whose turn failed gets no turn for this time. */
const AFTER_A_FAILURE_MS = 5 * SECOND_MS;

/** A piece of work of a project. `dueAt` (epoch milliseconds) where it may come due later: a look finds what does soon as well. */
type Work = { projectId: string; dueAt?: number };

/** Work that is found for all projects at once, and done for each project separately. `Due` is one piece of it. */
export type ProjectLoop<Due extends Work> = {
  name: string;
  role?: Loop["role"];
  /** How long to rest when there was nothing to do, in milliseconds, while things change. */
  restMs?: number;
  /** What has turns of its own, where that is not each project: a key of the work. Everything said of projects is true of these then. */
  keyOf?(due: Due): string;
  /** The most projects that have a turn at the same time; without it, all that have work. */
  atOnce?: number;
  /**
   * Finds what is due. What comes due while the loop may rest lets it rest until then, where it is found too, with its `dueAt`. `busy` are
   * projects whose turn is under way or has just failed: they get no turn now, so their work need not be found.
   */
  find(app: App, look: Look & { busy: readonly string[] }): Promise<Due[]>;
  /** A turn of one project; answers whether there was anything to do. */
  turn(app: App, projectId: string, due: readonly Due[], signal: AbortSignal): Promise<boolean>;
};

/** The state of a loop's projects in one process. */
type Projects = {
  running: Map<string, Promise<boolean>>;
  /** Epoch milliseconds. */
  restingUntil: Map<string, number>;
  /** Projects that have work and no turn yet, in the order in which they came. */
  waiting: Set<string>;
  /** When the next work comes due that the last look has found (epoch milliseconds). */
  nextAt: number;
  /** Projects in which the last look found work that was due. */
  due: ReadonlySet<string>;
  /** Whether one of them had none at the look before: a turn that does nothing may put it off for a short while, so the next look is soon. */
  isNew: boolean;
};

/** A loop that works for all projects at the same time, so that no project waits for another one that is slow or fails. */
export function projectLoop<Due extends Work>(declared: ProjectLoop<Due>): Loop {
  const {
    name,
    role = "worker",
    restMs = LOOK_AGAIN_MS,
    keyOf = ({ projectId }) => projectId,
    atOnce = Number.POSITIVE_INFINITY,
    find,
    turn,
  } = declared;
  const projects = resource(
    (): Projects => ({
      running: new Map(),
      restingUntil: new Map(),
      waiting: new Set(),
      nextAt: Number.POSITIVE_INFINITY,
      due: new Set(),
      isNew: false,
    }),
  );

  async function turnOf(app: App, projectId: string, due: readonly Due[], signal: AbortSignal) {
    const { running, restingUntil } = app.get(projects);
    try {
      return await turn(app, projectId, due, signal);
    } catch (cause) {
      app.log.error({ err: cause, projectId, loop: name }, "a project's turn failed; it will be tried again");
      restingUntil.set(projectId, app.clock() + AFTER_A_FAILURE_MS);
      return false;
    } finally {
      running.delete(projectId);
    }
  }

  function busyProjects(app: App): Set<string> {
    const { running, restingUntil } = app.get(projects);
    const now = app.clock();
    for (const [projectId, until] of restingUntil)
      if (isDue(until, now, AFTER_A_FAILURE_MS)) restingUntil.delete(projectId);
    return new Set([...running.keys(), ...restingUntil.keys()]);
  }

  return loop({
    name,
    role,
    restMs,
    nextAt(app) {
      const { nextAt, isNew, restingUntil } = app.get(projects);
      return isNew ? app.clock() : Math.min(nextAt, ...restingUntil.values());
    },
    async turn(app, signal) {
      const state = app.get(projects);
      const { running, waiting } = state;
      const now = app.clock();
      const found = await find(app, { now, until: now + LONGEST_REST_MS, busy: [...busyProjects(app)] });
      const later = found.flatMap(({ dueAt = 0 }) => (dueAt > now ? dueAt : []));
      state.nextAt = Math.min(...later);
      const due = Map.groupBy(
        found.filter(({ dueAt = 0 }) => dueAt <= now),
        keyOf,
      );
      state.isNew = [...due.keys()].some((projectId) => !state.due.has(projectId));
      state.due = new Set(due.keys());
      const busy = busyProjects(app);
      for (const projectId of waiting) if (!due.has(projectId)) waiting.delete(projectId);
      for (const projectId of due.keys()) if (!busy.has(projectId)) waiting.add(projectId);
      for (const projectId of waiting) {
        if (running.size >= atOnce) break;
        waiting.delete(projectId);
        running.set(projectId, turnOf(app, projectId, due.get(projectId) ?? [], signal));
      }
      if (running.size === 0) return false;
      // If projects wait for a turn, they can begin as soon as one ends.
      const done =
        waiting.size > 0
          ? Promise.race(running.values()).then(() => true)
          : Promise.all(running.values()).then((did) => did.includes(true));
      // Looks for new work now and then, however long the running turns take.
      return Promise.race([done, sleep(LOOK_AGAIN_MS, true)]);
    },
    async finish(app) {
      await Promise.all(app.get(projects).running.values());
    },
  });
}
