import { areasOf, isEverywhere } from "./areas.ts";
import { LOOKS_AT } from "./looks-at.ts";
import type { Repository, SourceFile } from "./repository.ts";

/** What a test looks at. */
type Reach = {
  files: ReadonlySet<string>;
  /** Rooms and packages, with all their files. */
  areas: ReadonlySet<string>;
};

export type Reaches = {
  /** Whether a test looks at one of these files, of which some may be gone: for the one who changes them and wants to know soon. */
  isReached(test: string, changed: Iterable<string>): boolean;
  /** Rooms and packages that a test looks at, by their folders. */
  areasSeenBy(test: string): string[];
  /** All files, in order, that a test stands on: what it looks at, and whatever that needs in turn. */
  foundationOf(test: string): string[];
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
    for (const path of found) {
      const area = areaOf(path);
      const uses = area === null ? [] : (repository.get(path)?.uses ?? []);
      for (const used of uses) if (areaOf(used) === area) found.add(used);
    }
    return found;
  }

  /** What a file of the product needs: what it imports, and operations that it calls. */
  const needs = new Map(
    parts.map((file) => {
      const called = CALLERS.test(file.path) ? wordsOf(file, CALLED) : [];
      const paths = [...file.uses, ...called.map((word) => operations.get(word) ?? "")];
      return [file.path, paths.filter((path) => repository.has(path))];
    }),
  );

  /** What each area takes of others. */
  const taken = new Map(
    [...areas].map((area) => {
      const own = parts.filter(({ path }) => areaOf(path) === area);
      const found = own.flatMap(({ path }) => needs.get(path) ?? []).filter((path) => areaOf(path) !== area);
      return [area, withinAreas(found)];
    }),
  );

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
    areasSeenBy: (test) => [...reachOf(test).areas],
    foundationOf(test) {
      const reach = reachOf(test);
      const found = new Set(files.map(({ path }) => path).filter((path) => isLookedAt(reach, path)));
      for (const path of found) for (const needed of needs.get(path) ?? []) found.add(needed);
      return [...found].sort();
    },
  };
}
