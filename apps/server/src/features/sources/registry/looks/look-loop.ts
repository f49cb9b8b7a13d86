import { processes } from "../../../../platform/loops/processes.ts";
import { projectLoop } from "../../../../platform/loops/project-loop.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { lookAtSource } from "./look.ts";
import { findDueSourcesAcrossProjects } from "./look-store.ts";

/** The most sources that are found at once. */
const FOUND_AT_ONCE = 20;
/** The most projects whose sources are looked at at the same time in one process. */
const PROJECTS_AT_ONCE = 4;

/** Looks at sources: each minute, and at once when something was deployed, declared or mapped. */
export const lookLoop = projectLoop({
  name: "look at sources",
  restMs: SECOND_MS,
  atOnce: PROJECTS_AT_ONCE,
  find: (app, look) =>
    findDueSourcesAcrossProjects(app.database.kysely, {
      ...look,
      limit: FOUND_AT_ONCE,
      leaseOwner: app.get(processes).leaseOwner(),
    }),
  async turn(app, projectId, due, signal) {
    const looked = await Promise.all(
      due.map(async ({ id }) => {
        try {
          return await lookAtSource(app, projectId, id, signal);
        } catch (cause) {
          // One source that cannot be looked at must not keep the others of the project from it.
          app.log.error({ err: cause, projectId, sourceId: id }, "a source was not looked at");
          return false;
        }
      }),
    );
    return looked.includes(true);
  },
});
