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
  find(app: App): Promise<Due[]>;
  /** A turn of one project; says whether there was anything to do. */
  turn(app: App, projectId: string, due: readonly Due[], signal: AbortSignal): Promise<boolean>;
};

/** A loop over every project that has something due, side by side: one that is slow or fails does not hold up the others. */
export function projectLoop<Due extends { projectId: string }>({ name, find, turn }: ProjectLoop<Due>): Loop {
  const projects = resource(() => ({
    running: new Map<string, Promise<boolean>>(),
    restingUntil: new Map<string, number>(),
  }));

  async function turnOf(app: App, projectId: string, due: readonly Due[], signal: AbortSignal) {
    const { running, restingUntil } = app.get(projects);
    try {
      const did = await turn(app, projectId, due, signal);
      restingUntil.delete(projectId);
      return did;
    } catch (cause) {
      app.log.error({ err: cause, projectId, loop: name }, "a project's turn failed; it will be tried again");
      restingUntil.set(projectId, app.clock() + AFTER_A_FAILURE_MS);
      return false;
    } finally {
      running.delete(projectId);
    }
  }

  return loop({
    name,
    restMs: LOOK_AGAIN_MS,
    async turn(app, signal) {
      const { running, restingUntil } = app.get(projects);
      for (const [projectId, due] of Map.groupBy(await find(app), (each) => each.projectId)) {
        if (running.has(projectId) || (restingUntil.get(projectId) ?? 0) > app.clock()) continue;
        running.set(projectId, turnOf(app, projectId, due, signal));
      }
      if (running.size === 0) return false;
      const all = Promise.all(running.values()).then((did) => did.includes(true));
      // What becomes due meanwhile is looked for, however long a project takes.
      return Promise.race([all, sleep(LOOK_AGAIN_MS, true)]);
    },
    async finish(app) {
      await Promise.all(app.get(projects).running.values());
    },
  });
}
