import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { bringUpToDate } from "./fold.ts";
import {
  findUncountedTraits,
  readEventNames,
  readNotedTraitNames,
  readPropertyNames,
  readTraitNames,
} from "./read-store.ts";

/** Names by which somebody may be looked up, at most this many of each kind. */
const MAX_NAMES = 5_000;
const MAX_PROPERTIES = 500;

/** The names of all that a project's users have shown. */
export type KnownNames = {
  traits: ReadonlySet<string>;
  /** By event name: the properties it came with, where these were asked for. */
  events: ReadonlyMap<string, ReadonlySet<string>>;
};

/** @param askedEvents whose properties are wanted: those of all events would be millions of names */
export async function readVocabulary(
  app: App,
  projectId: string,
  askedEvents: readonly string[],
): Promise<KnownNames> {
  await bringUpToDate(app, projectId, app.clock());
  const db = app.database.kysely;
  const [traits, names, properties] = [
    await readTraitNames(db, projectId, MAX_NAMES),
    await readEventNames(db, projectId, MAX_NAMES),
    await readPropertyNames(db, projectId, askedEvents, MAX_PROPERTIES),
  ];
  const events = new Map(names.map((name) => [name, new Set<string>()]));
  for (const { name, keys } of properties) events.set(name, new Set(keys));
  return { traits: new Set(traits), events };
}

/**
 * Those of some trait names that no user has, and, where there are any, the names of the traits that users have. It adds nothing up,
 * unlike `readVocabulary`, and needs no connection but `db`: a write may ask within its transaction.
 */
export async function findUnknownTraits(
  db: Db,
  projectId: string,
  names: readonly string[],
): Promise<{ unknown: ReadonlySet<string>; known: ReadonlySet<string> }> {
  const uncounted = names.length === 0 ? [] : await findUncountedTraits(db, projectId, names);
  if (uncounted.length === 0) return { unknown: new Set(), known: new Set() };
  const noted = new Set(await readNotedTraitNames(db, projectId, MAX_NAMES));
  const known = new Set([...(await readTraitNames(db, projectId, MAX_NAMES)), ...noted]);
  return { unknown: new Set(uncounted.filter((name) => !noted.has(name))), known };
}
