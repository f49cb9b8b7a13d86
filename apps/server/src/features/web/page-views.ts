import { BoundedMap } from "../../platform/remember.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { insertFirstPageView } from "./page-view-store.ts";

/** The projects that are remembered; one that is forgotten costs one statement more. */
const MOST_PROJECTS = 10_000;

/** The projects of which this process knows that a page has come for messages. */
const knownProjects = resource(() => new BoundedMap<true>(MOST_PROJECTS));

/**
 * Keeps that a page came for messages, once for each project and process. The next page tries again where that fails: no visitor goes
 * without messages for it.
 */
export async function markPageView(app: App, projectId: string, now: number): Promise<void> {
  const known = app.get(knownProjects);
  if (known.has(projectId)) return;
  known.set(projectId, true);
  try {
    await insertFirstPageView(app.database.kysely, projectId, now);
  } catch {
    known.delete(projectId);
  }
}
