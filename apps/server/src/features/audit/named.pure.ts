/** What an entry names: an id of the API, the key of an address, the address of a person, or the name of a repository. */
type Entry = { operation: string; target: string | null; before: unknown; after: unknown };

/** What is looked up, by its kind. UUIDs where the database has them. */
export type NamedIds = {
  campaigns: readonly string[];
  goals: readonly string[];
  segments: readonly string[];
  topics: readonly string[];
  journeys: readonly string[];
  proposals: readonly string[];
  addressKeys: readonly string[];
  emails: readonly string[];
  sources: readonly string[];
};

const PROJECT = /(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/g;
const ID = /\b(?:cmp|goal|seg|prop|top|jrn)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

/** What entries could name as projects: their own, and every UUID of their values that stands alone. */
export const projectsIn = (entries: readonly (Entry & { projectId: string | null })[]): string[] =>
  distinct(
    entries.flatMap(({ projectId, before, after }) => [
      ...(projectId === null ? [] : [projectId]),
      ...(JSON.stringify([before, after]).match(PROJECT) ?? []),
    ]),
  );

/** The things that entries name, each once. What has no name of its own is left out. `targetOf`: what an operation's target is. */
export function namedIn(entries: readonly Entry[], targetOf: (operation: string) => string): NamedIds {
  const ids = entries.flatMap(({ target, before, after }) => {
    // The ids are parts of texts as well, such as in lists and in what a person typed.
    const text = JSON.stringify([target, before, after]);
    return text.match(ID) ?? [];
  });
  const idsOf = (prefix: "cmp" | "goal" | "seg" | "prop" | "top" | "jrn"): string[] =>
    distinct(ids.filter((id) => id.startsWith(`${prefix}_`))).map((id) => id.slice(prefix.length + 1));
  const targetsOf = (kind: string): string[] =>
    entries.flatMap(({ operation, target }) =>
      target !== null && targetOf(operation) === kind ? [target] : [],
    );
  return {
    campaigns: idsOf("cmp"),
    goals: idsOf("goal"),
    segments: idsOf("seg"),
    topics: idsOf("top"),
    journeys: idsOf("jrn"),
    proposals: idsOf("prop"),
    addressKeys: distinct(targetsOf("address")).filter((key) => UUID.test(key)),
    emails: distinct(entries.flatMap(({ target }) => (target?.includes("@") ? [target] : []))),
    sources: distinct(targetsOf("source")),
  };
}
