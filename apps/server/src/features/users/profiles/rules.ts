/**
 * What one identify says of a user's traits: `set` is compact JSON without nulls, `names` its keys. A trait that is given as null is
 * taken away.
 */
export type Said = { set: string; names: readonly string[]; removed: readonly string[] };

export const NOTHING_SAID: Said = { set: "{}", names: [], removed: [] };

/** Reads traits; `json` is their compact JSON. */
export function toSaid(json: string, traits: Readonly<Record<string, unknown>>): Said {
  const all = Object.entries(traits);
  const set = all.filter(([, value]) => value !== null);
  const names = set.map(([name]) => name);
  if (set.length === all.length) return { set: json, names, removed: [] };
  const removed = all.filter(([, value]) => value === null).map(([name]) => name);
  return { set: JSON.stringify(Object.fromEntries(set)), names, removed };
}

/** What is left of it without the traits that only the secret key sets, and the names of those. */
export function withoutServerTraits(
  said: Said,
  serverTraits: ReadonlySet<string>,
): { said: Said; ignored: readonly string[] } {
  const ignored = [...said.names, ...said.removed].filter((name) => serverTraits.has(name));
  if (ignored.length === 0) return { said, ignored };
  const set = Object.entries(JSON.parse(said.set) as Record<string, unknown>).filter(
    ([name]) => !serverTraits.has(name),
  );
  return {
    said: {
      set: JSON.stringify(Object.fromEntries(set)),
      names: set.map(([name]) => name),
      removed: said.removed.filter((name) => !serverTraits.has(name)),
    },
    ignored,
  };
}
