import type { App } from "../../platform/runtime.ts";
import { bringUpToDate } from "./fold.ts";
import { readEventNames, readPropertyNames, readTraitNames } from "./read-store.ts";

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
