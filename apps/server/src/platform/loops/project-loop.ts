import { setTimeout as sleep } from "node:timers/promises";
import { type App, resource } from "../runtime.ts";
import { SECOND_MS } from "../time/clock.ts";
import { isDue } from "../time/far-ahead.ts";
import { type Loop, loop } from "./loops.ts";

const LOOK_AGAIN_MS = 500;
/** A project whose turn failed gets no turn for this time. */
const AFTER_A_FAILURE_MS = 5 * SECOND_MS;

/** Work that is found for all projects at once, and done for each project separately. `Due` is one piece of it. */
export type ProjectLoop<Due extends { projectId: string }> = {
  name: string;
  role?: Loop["role"];
  /** How long to rest when there was nothing to do, in milliseconds. */
  restMs?: number;
  /** The most projects that have a turn at the same time; without it, all that have work. */
  atOnce?: number;
  /** @param busy projects whose turn is under way or has just failed: they get no turn now, so their work need not be found */
  find(app: App, busy: readonly string[]): Promise<Due[]>;
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
};

/** A loop that works for all projects at the same time, so that no project waits for another one that is slow or fails. */
export function projectLoop<Due extends { projectId: string }>(declared: ProjectLoop<Due>): Loop {
  const {
    name,
    role = "worker",
    restMs = LOOK_AGAIN_MS,
    atOnce = Number.POSITIVE_INFINITY,
    find,
    turn,
  } = declared;
  const projects = resource(
    (): Projects => ({ running: new Map(), restingUntil: new Map(), waiting: new Set() }),
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
    async turn(app, signal) {
      const { running, waiting } = app.get(projects);
      const found = await find(app, [...busyProjects(app)]);
      const due = Map.groupBy(found, (each) => each.projectId);
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
