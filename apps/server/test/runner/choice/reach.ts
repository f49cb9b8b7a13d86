import { areasOf, isEverywhere } from "./areas.ts";
import { LOOKS_AT } from "./looks-at.ts";
import type { Repository, SourceFile } from "./repository.ts";

/** What a test looks at: where one of these changes, what it finds may change. */
type Reach = {
  files: ReadonlySet<string>;
  /** Rooms and packages, with all their files. */
  areas: ReadonlySet<string>;
};

export type Reaches = {
  /** Whether what a test finds may change with these files, of which some may be gone. */
  isReached(test: string, changed: Iterable<string>): boolean;
  /** All files that there are of what a test looks at, in order. */
  filesOf(test: string): string[];
};

/** An operation, where it is declared. */
const OPERATION = /\bendpoint\(\s*\{\s*id: "(\w+)"/g;
/** Parts that reach the server by the names of its operations, where others import. */
const CALLERS = /^(?:apps\/dashboard\/src|packages\/agent)\//;
/** How they name an operation. */
const CALLED = /"(\w+)"|\.(\w+)\(/g;

const wordsOf = ({ text }: SourceFile, pattern: RegExp): string[] =>
  [...text.toString().matchAll(pattern)].map(([, word, other]) => word ?? other ?? "");

/**
 * Says what tests look at: their own area, what that takes of other areas, what they import, and what `LOOKS_AT` says of those outside of
 * the rooms. Imports alone would not do, because every test over HTTP imports the whole house.
 */
export function createReaches(repository: Repository): Reaches {
  const areaOf = areasOf(repository);
  const files = [...repository.values()];
  const parts = files.filter(({ path }) => areaOf(path) !== null);
  const areas = new Set(parts.map(({ path }) => areaOf(path)).filter((area) => area !== null));
  const operations = new Map(parts.flatMap((file) => wordsOf(file, OPERATION).map((id) => [id, file.path])));

  /** Some files, with those of their own areas that they import in turn. */
  function withinAreas(paths: Iterable<string>): Set<string> {
    const found = new Set(paths);
    for (const path of found)
      for (const used of repository.get(path)?.uses ?? []) if (areaOf(used) === areaOf(path)) found.add(used);
    return found;
  }

  /** What each area takes of others. */
  const taken = new Map([...areas].map((area) => [area, new Set<string>()]));
  for (const file of parts) {
    const called = CALLERS.test(file.path) ? wordsOf(file, CALLED).map((word) => operations.get(word)) : [];
    const area = areaOf(file.path) ?? "";
    for (const used of [...file.uses, ...called])
      if (used !== undefined && repository.has(used) && areaOf(used) !== area) taken.get(area)?.add(used);
  }
  for (const [area, found] of taken) taken.set(area, withinAreas(found));

  /** What a test imports, and what that imports in turn: of the product only what the test imports itself. */
  function importsOf(test: string): Set<string> {
    const found = new Set([test]);
    for (const path of found) {
      const uses = (repository.get(path)?.uses ?? []).filter((used) => repository.has(used));
      const isOfTests = areaOf(path) === null && !isEverywhere(path);
      if (isOfTests) for (const used of path === test ? withinAreas(uses) : uses) found.add(used);
    }
    return found;
  }

  function reachOf(test: string): Reach {
    const [, listed = []] = LOOKS_AT.find(([tests]) => test.startsWith(tests)) ?? [];
    const own = areaOf(test.replace(".test.", "."));
    const looked = [...areas].filter(
      (area) => area === own || listed.some((part) => `${area}/`.startsWith(part)),
    );
    const needed = looked.flatMap((area) => [...(taken.get(area) ?? [])]);
    return { areas: new Set(looked), files: new Set([...importsOf(test), ...needed]) };
  }

  function isLookedAt({ files, areas }: Reach, path: string): boolean {
    const area = areaOf(path);
    return isEverywhere(path) || files.has(path) || (area !== null && areas.has(area));
  }
  return {
    isReached(test, changed) {
      const reach = reachOf(test);
      return [...changed].some((path) => isLookedAt(reach, path));
    },
    filesOf(test) {
      const reach = reachOf(test);
      return files.map(({ path }) => path).filter((path) => isLookedAt(reach, path));
    },
  };
}
