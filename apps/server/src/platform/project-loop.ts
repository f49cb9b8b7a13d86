import { setTimeout as sleep } from "node:timers/promises";
import { SECOND_MS } from "./clock.ts";
import { type Loop, loop } from "./loops.ts";
import { type App, resource } from "./runtime.ts";

const LOOK_AGAIN_MS = 500;
/** A project whose turn failed is left alone for a moment. */
const AFTER_A_FAILURE_MS = 5 * SECOND_MS;

/** Work that is found for all projects at once and done for each by itself. `Due` is what there is to do. */
export type ProjectLoop<Due extends { projectId: string }> = {
  name: string;
  /** How long to rest when there was nothing to do, in milliseconds. */
  restMs?: number;
  /** Projects that are worked side by side at most; all that have something due, where nothing is said. */
  atOnce?: number;
  /** @param busy projects whose turn is under way, or failed a moment ago: they get none now, so nothing need be found for them */
  find(app: App, busy: readonly string[]): Promise<Due[]>;
  /** A turn of one project; says whether there was anything to do. */
  turn(app: App, projectId: string, due: readonly Due[], signal: AbortSignal): Promise<boolean>;
};

/** What one loop knows of its projects in one process. */
type Projects = {
  running: Map<string, Promise<boolean>>;
  /** Epoch milliseconds. */
  restingUntil: Map<string, number>;
  /** Those that have something due and no turn yet, in the order in which they came. */
  waiting: Set<string>;
};

/** A loop over every project that has something due, side by side: one that is slow or fails does not hold up the others. */
export function projectLoop<Due extends { projectId: string }>(declared: ProjectLoop<Due>): Loop {
  const { name, restMs = LOOK_AGAIN_MS, atOnce = Number.POSITIVE_INFINITY, find, turn } = declared;
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
    for (const [projectId, until] of restingUntil) if (until <= now) restingUntil.delete(projectId);
    return new Set([...running.keys(), ...restingUntil.keys()]);
  }

  return loop({
    name,
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
      // Where projects wait, the first that is done makes room.
      const done =
        waiting.size > 0
          ? Promise.race(running.values()).then(() => true)
          : Promise.all(running.values()).then((did) => did.includes(true));
      // What becomes due meanwhile is looked for, however long a project takes.
      return Promise.race([done, sleep(LOOK_AGAIN_MS, true)]);
    },
    async finish(app) {
      await Promise.all(app.get(projects).running.values());
    },
  });
}
