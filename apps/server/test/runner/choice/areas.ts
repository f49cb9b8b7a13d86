import { posix } from "node:path";
import type { Repository } from "./repository.ts";

const FEATURES = "apps/server/src/features/";

/** What all tests stand on, or all pages: where it changes, every test is reached. Which tests are run, and in which order, changes none. */
const EVERYWHERE =
  /^(?:apps\/server\/(?:bin|migrations|scripts\/build|src\/(?:platform|domain|[^/]+\.ts$))|apps\/server\/test\/(?:runner\/(?!arguments|cpu|deal|kept|report|suite)[^/]+\.ts$|harness\.ts$|run\.ts$)|apps\/dashboard\/(?:index\.html|scripts\/)|package(?:-lock)?\.json$|tsconfig\.json$)/;
/** Made from other files, which are seen to have changed themselves. */
const GENERATED = /(?:^|\/)generated\/|^apps\/server\/schema\.sql$/;
const TEST = /\.test\.tsx?$/;

export const isTest = (path: string): boolean => TEST.test(path);
export const isEverywhere = (path: string): boolean => EVERYWHERE.test(path) && !isTest(path);

/** The folders of the server's rooms: each says in its `index.ts` what it brings into the house. */
const roomsOf = (repository: Repository): string[] =>
  [...repository.keys()]
    .filter((path) => path.startsWith(FEATURES) && path.endsWith("/index.ts"))
    .map((path) => posix.dirname(path));

/** Folders of which one part stands for the whole, by where they lie. */
const PARTS = [
  /^apps\/dashboard\/src\/(?:features\/)?[^/]+(?=\/)/,
  /^apps\/dashboard\/src/,
  /^apps\/server\/(?:src\/cli|scripts)/,
  /^packages\/[^/]+/,
];

/** The product's areas: a room of the server or of the dashboard, a package. Answers the area of a path; null for tests and what they share. */
export function areasOf(repository: Repository): (path: string) => string | null {
  const rooms = new Set(roomsOf(repository));
  return (path) => {
    if (isTest(path) || GENERATED.test(path)) return null;
    if (path.startsWith(FEATURES))
      for (let folder = posix.dirname(path); folder.startsWith(FEATURES); folder = posix.dirname(folder))
        if (rooms.has(folder)) return folder;
    for (const part of PARTS) {
      const [found] = part.exec(path) ?? [];
      if (found !== undefined) return found;
    }
    return null;
  };
}
