/**
 * Changes of a user's traits: `set` is compact JSON without nulls, `names` are its keys; a request removes a trait by giving it as
 * null.
 */
export type TraitChanges = { set: string; names: readonly string[]; removed: readonly string[] };

export const NO_TRAIT_CHANGES: TraitChanges = { set: "{}", names: [], removed: [] };

/** The changes that the traits of a request mean; `json` is their compact JSON. */
export function traitChangesOf(json: string, traits: Readonly<Record<string, unknown>>): TraitChanges {
  const all = Object.entries(traits);
  const set = all.filter(([, value]) => value !== null);
  const names = set.map(([name]) => name);
  if (set.length === all.length) return { set: json, names, removed: [] };
  const removed = all.filter(([, value]) => value === null).map(([name]) => name);
  return { set: JSON.stringify(Object.fromEntries(set)), names, removed };
}

/** The changes without those of traits that only the secret key may set, whose names are in `ignored`. */
export function withoutServerTraits(
  changes: TraitChanges,
  serverTraits: ReadonlySet<string>,
): { changes: TraitChanges; ignored: readonly string[] } {
  const ignored = [...changes.names, ...changes.removed].filter((name) => serverTraits.has(name));
  if (ignored.length === 0) return { changes, ignored };
  const set = Object.entries(JSON.parse(changes.set) as Record<string, unknown>).filter(
    ([name]) => !serverTraits.has(name),
  );
  return {
    changes: {
      set: JSON.stringify(Object.fromEntries(set)),
      names: set.map(([name]) => name),
      removed: changes.removed.filter((name) => !serverTraits.has(name)),
    },
    ignored,
  };
}
