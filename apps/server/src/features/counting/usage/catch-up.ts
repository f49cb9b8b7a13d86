import { loop } from "../../../platform/loops/loops.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import {
  type ChangedPeriod,
  catchUpActiveUsers,
  findChangedPeriodsAcrossProjects,
  markCaughtUp,
} from "./catch-up-store.ts";
import { readUsage } from "./read.ts";

const LANES = 64;
const LOOK_AGAIN_MS = 5 * SECOND_MS;
/** After this time every process counts in the new period, and what it wrote for the old one is committed. */
const COUNTED_AFTER_MS = 15 * SECOND_MS;

/** When this process first saw the last change of an organization's period. */
const seen = resource(() => new Map<string, { changeId: number; at: number }>());

async function catchUp(app: App, { organizationId, projectId, changeId }: ChangedPeriod): Promise<void> {
  const { kysely } = app.database;
  const { period } = await readUsage(app, kysely, projectId, app.clock());
  // Lane by lane: a statement that writes for one of these users meanwhile waits for one lane at most.
  for (let lane = 0; lane < LANES; lane++) await catchUpActiveUsers(kysely, organizationId, lane, period);
  await markCaughtUp(kysely, organizationId, changeId);
}

/**
 * Counts the users who were active in a period before an administrator set it. A repeat counts no user twice.
 */
export const catchUpLoop = loop({
  name: "catch up with a period",
  restMs: LOOK_AGAIN_MS,
  nextAt: (app) => Math.min(...[...app.get(seen).values()].map(({ at }) => at + COUNTED_AFTER_MS)),
  async turn(app) {
    const { kysely } = app.database;
    const first = app.get(seen);
    let didSomething = false;
    const changed = await findChangedPeriodsAcrossProjects(kysely);
    const left = new Set(changed.map(({ organizationId }) => organizationId));
    for (const organizationId of first.keys()) if (!left.has(organizationId)) first.delete(organizationId);
    for (const { organizationId, projectId, changeId } of changed) {
      const now = app.clock();
      const since = first.get(organizationId);
      if (since === undefined || since.changeId !== changeId) {
        first.set(organizationId, { changeId, at: now });
      } else if (now - since.at >= COUNTED_AFTER_MS) {
        try {
          await catchUp(app, { organizationId, projectId, changeId });
          first.delete(organizationId);
          didSomething = true;
        } catch (cause) {
          // The other organizations go on; this one is tried again after the same wait.
          app.log.error({ err: cause, organizationId }, "a period could not be caught up with");
          first.set(organizationId, { changeId, at: now });
        }
      }
    }
    return didSomething;
  },
});
