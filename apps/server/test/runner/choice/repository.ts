import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A file of the repository, by its path from the root. */
export type SourceFile = {
  path: string;
  text: Buffer;
  /** Paths of the files that it imports, starts or reads by a name that stands in it. */
  uses: readonly string[];
};

/** All files by path, without what is installed or built. */
export type Repository = ReadonlyMap<string, SourceFile>;

const PLACES = "{apps,packages,bench,e2e,docs,lint}/**/*";
const ALONE = ["package.json", "package-lock.json", "tsconfig.json", "README.md"];
const CODE = /\.[cm]?tsx?$/;
/** How the formatter leaves an import, the address of another file, and the name of a page of the docs. */
const USED = /\b(?:from|import)\s+"([^"]+)"|\b(?:import|new URL)\(\s*"([^"]+)"|"([^"\s]+\.md)"/g;
/** Types are gone before a test runs. */
const OF_TYPES = /\b(?:import|export) type\b[^;]*?\bfrom\s+"[^"]+";/g;
const ELSEWHERE = /^(?:@|node:|[a-z]+:)/;

/** Files of the repository's own packages, by the names under which they are imported. */
function readPackages(root: string): ReadonlyMap<string, string> {
  const found = globSync("packages/*/package.json", { cwd: root }).flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), "utf8")) as {
      name: string;
      exports?: Record<string, unknown>;
    };
    return Object.entries(exports).flatMap(([part, file]) =>
      // What is built first has several forms, and its sources stand for it.
      typeof file === "string"
        ? [[posix.join(name, part), posix.join(posix.dirname(path), file)] as const]
        : [],
    );
  });
  return new Map(found);
}

/** Paths of the repository that a file names, which need not be there. */
function usesOf(path: string, text: string, packages: ReadonlyMap<string, string>): string[] {
  const names = [...text.replaceAll(OF_TYPES, "").matchAll(USED)].map(
    ([, module, address, page]) => module ?? address ?? page ?? "",
  );
  return names.flatMap((name) => {
    const own = packages.get(name);
    if (own !== undefined) return [own];
    if (ELSEWHERE.test(name)) return [];
    // An address may begin at the root as well as beside the file.
    return name.startsWith(".")
      ? [posix.join(posix.dirname(path), name)]
      : [posix.join(posix.dirname(path), name), name];
  });
}

/** Reads every file below a folder that may change what a test finds. */
export function readRepository(root: string): Repository {
  const packages = readPackages(root);
  const paths = globSync([PLACES, ...ALONE], {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(root, posix.join(entry.parentPath, entry.name)))
    .sort();
  return new Map(
    paths.map((path) => {
      const text = readFileSync(join(root, path));
      const uses = CODE.test(path) ? [...new Set(usesOf(path, text.toString(), packages))] : [];
      return [path, { path, text, uses }];
    }),
  );
}
