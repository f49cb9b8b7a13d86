import { SECOND_MS } from "../../platform/clock.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { readUsage, type Usage } from "./read.ts";
import { periodAt, type Serving } from "./rules.ts";

/** How old may be what is believed of an organization: a cap that is reached closes within this time. */
const BELIEVED_MS = 5 * SECOND_MS;
/** From then on it is read again behind the back of who asks, so that a busy project never waits. */
const FRESH_MS = 2.5 * SECOND_MS;

type Known = Usage & { readAt: number };

/** The usage of organizations, read once for all their projects. */
const usages = resource((app: App) => {
  const organizations = new Map<string, string>();
  const known = new Map<string, Known>();
  const reading = new Map<string, Promise<Known>>();

  async function read(projectId: string, key: string): Promise<Known> {
    try {
      const readAt = app.clock();
      const usage = { ...(await readUsage(app, app.database.lookups.kysely, projectId, readAt)), readAt };
      organizations.set(projectId, usage.organizationId);
      known.set(usage.organizationId, usage);
      return usage;
    } finally {
      reading.delete(key);
    }
  }

  function readOnce(projectId: string): Promise<Known> {
    const key = organizations.get(projectId) ?? projectId;
    let underWay = reading.get(key);
    if (underWay === undefined) {
      underWay = read(projectId, key);
      reading.set(key, underWay);
    }
    return underWay;
  }

  return (projectId: string): Known | Promise<Known> => {
    const usage = known.get(organizations.get(projectId) ?? "");
    const now = app.clock();
    const ageMs = usage === undefined ? BELIEVED_MS : now - usage.readAt;
    if (usage === undefined || ageMs < 0 || ageMs >= BELIEVED_MS || now >= usage.period.end)
      return readOnce(projectId);
    if (ageMs >= FRESH_MS)
      readOnce(projectId).catch((cause: unknown) =>
        app.log.warn({ err: cause }, "usage could not be read; it will be tried again"),
      );
    return usage;
  };
});

/**
 * Whether a project is served now, as of at most five seconds ago; answered from memory, without a promise, wherever that can be.
 * Where `serving` is not `ok`, nothing leaves on any channel; what was planned waits.
 */
export const servingOf = (app: App, projectId: string): Serving | Promise<Serving> =>
  app.get(usages)(projectId);

/** The key of the period of an instant (epoch milliseconds). */
export type PeriodOf = (atMs: number) => number;

const periodsOf = ({ subscription }: Usage): PeriodOf => {
  return (atMs) => periodAt(subscription, atMs).key;
};

/** What a project's active users are counted under, from the same memory. */
export function activePeriods(app: App, projectId: string): PeriodOf | Promise<PeriodOf> {
  const usage = app.get(usages)(projectId);
  return usage instanceof Promise ? usage.then(periodsOf) : periodsOf(usage);
}

/** The same of several projects, by project. */
export async function activePeriodsByProject(
  app: App,
  projectIds: Iterable<string>,
): Promise<Map<string, PeriodOf>> {
  const periods = new Map<string, PeriodOf>();
  for (const projectId of new Set(projectIds)) periods.set(projectId, await activePeriods(app, projectId));
  return periods;
}
