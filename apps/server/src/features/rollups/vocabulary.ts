import type { App } from "../../platform/runtime.ts";
import { foldNotes } from "./fold.ts";
import { readEvents, readTraits } from "./read-store.ts";

/** Names by which somebody may be looked up, at most this many of each kind. */
const MAX_NAMES = 5_000;
const MAX_PROPERTIES = 500;

/** The names of all that a project's users have shown. */
export type KnownNames = {
  traits: ReadonlySet<string>;
  /** By event name: the properties it came with. */
  events: ReadonlyMap<string, ReadonlySet<string>>;
};

export async function readVocabulary(app: App, projectId: string): Promise<KnownNames> {
  await foldNotes(app);
  const db = app.database.kysely;
  const traits = await readTraits(db, projectId, MAX_NAMES);
  const events = await readEvents(db, projectId, { limit: MAX_NAMES, properties: MAX_PROPERTIES });
  return {
    traits: new Set(traits.map(({ key }) => key)),
    events: new Map(
      events.map(({ name, properties }) => [name, new Set(properties.map((property) => property.key))]),
    ),
  };
}
