import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { bringUpToDate } from "./apply-deltas.ts";
import {
  findUncountedTraits,
  readEventNames,
  readPendingTraitNames,
  readPropertyNames,
  readTraitNames,
} from "./read-store.ts";

/** The most event names, and the most trait names, that are read. */
const MAX_NAMES = 5_000;
const MAX_PROPERTIES = 500;

/** The names of the traits that a project's users have, and of the events that they did. */
export type KnownNames = {
  traits: ReadonlySet<string>;
  /** By event name: its properties, empty unless they were requested. */
  events: ReadonlyMap<string, ReadonlySet<string>>;
};

/** @param withProperties events whose properties are read: those of all events could be millions of names */
export async function readVocabulary(
  app: App,
  projectId: string,
  withProperties: readonly string[],
): Promise<KnownNames> {
  await bringUpToDate(app, projectId, app.clock());
  const db = app.database.kysely;
  const [traits, names, properties] = [
    await readTraitNames(db, projectId, MAX_NAMES),
    await readEventNames(db, projectId, MAX_NAMES),
    await readPropertyNames(db, projectId, withProperties, MAX_PROPERTIES),
  ];
  const events = new Map(names.map((name) => [name, new Set<string>()]));
  for (const { name, keys } of properties) events.set(name, new Set(keys));
  return { traits: new Set(traits), events };
}

/**
 * Which of these trait names no user has, and, if there are such names, the traits that users do have. Unlike `readVocabulary` it applies
 * no deltas and uses `db` alone, so that a write can call it within its transaction.
 */
export async function findUnknownTraits(
  db: Db,
  projectId: string,
  names: readonly string[],
): Promise<{ unknown: ReadonlySet<string>; known: ReadonlySet<string> }> {
  const uncounted = names.length === 0 ? [] : await findUncountedTraits(db, projectId, names);
  if (uncounted.length === 0) return { unknown: new Set(), known: new Set() };
  const pendingNames = await readPendingTraitNames(db, projectId, MAX_NAMES);
  const countedNames = await readTraitNames(db, projectId, MAX_NAMES);
  const pending = new Set(pendingNames);
  const unknown = uncounted.filter((name) => !pending.has(name));
  return { unknown: new Set(unknown), known: new Set([...countedNames, ...pendingNames]) };
}
