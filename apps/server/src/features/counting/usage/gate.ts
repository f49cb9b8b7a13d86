import { remember } from "../../../platform/remember.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import { readUsage, type Usage } from "./read.ts";
import { periodAt, type Serving } from "./rules.ts";

/** How old the remembered usage of an organization may be: a cap that is reached takes effect within this time. */
const BELIEVED_MS = 5 * SECOND_MS;
/** From this age on, usage is read again in the background, so that requests of a busy project never wait for it. */
const FRESH_MS = 2.5 * SECOND_MS;

/** The most organizations whose usage is remembered. */
const MAX_REMEMBERED = 10_000;

/** The usage of organizations, read once for all their projects. */
const usages = resource((app: App) => {
  const organizations = new Map<string, string>();
  return remember<Usage>({
    clock: app.clock,
    max: MAX_REMEMBERED,
    believedMs: BELIEVED_MS,
    freshMs: FRESH_MS,
    isOver: ({ period }, now) => now >= period.end,
    keyOf: (projectId) => organizations.get(projectId) ?? projectId,
    async load(projectId, now) {
      const usage = await readUsage(app, app.database.lookups.kysely, projectId, now);
      organizations.set(projectId, usage.organizationId);
      return usage;
    },
    onFault: (cause) => app.log.warn({ err: cause }, "usage could not be read; it will be tried again"),
  });
});

/**
 * Whether a project is served, as of at most five seconds ago; answered from memory without a promise where possible. Where `serving`
 * is not `ok`, no message leaves on any channel, and planned ones wait.
 */
export const servingOf = (app: App, projectId: string): Serving | Promise<Serving> =>
  app.get(usages).get(projectId);

/** The key of the period of an instant (epoch milliseconds). */
export type PeriodOf = (atMs: number) => number;

const periodsOf = ({ subscription }: Usage): PeriodOf => {
  return (atMs) => periodAt(subscription, atMs).key;
};

/** Finds the period under which a project's active users are counted; remembered like `servingOf`. */
export function activePeriods(app: App, projectId: string): PeriodOf | Promise<PeriodOf> {
  const usage = app.get(usages).get(projectId);
  return usage instanceof Promise ? usage.then(periodsOf) : periodsOf(usage);
}

/** `activePeriods` of several projects, by project. */
export async function activePeriodsByProject(
  app: App,
  projectIds: Iterable<string>,
): Promise<Map<string, PeriodOf>> {
  const periods = new Map<string, PeriodOf>();
  for (const projectId of new Set(projectIds)) {
    const periodOf = await activePeriods(app, projectId);
    periods.set(projectId, periodOf);
  }
  return periods;
}
