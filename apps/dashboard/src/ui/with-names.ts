/** Names of things by their ids. */
export type Names = Readonly<Record<string, string>>;

/** The names of things by their ids. */
export const namesOf = (things: readonly { id: string; name: string }[]): Names =>
  Object.fromEntries(things.map(({ id, name }) => [id, name]));

/** A text with names in place of the ids of which the names are known. */
export const withNames = (text: string, names: Names): string =>
  text.replace(/\b[a-z]+_[0-9a-f-]{36}\b/g, (id) => names[id] ?? id);
