/**
 * Makes `dist/tidings.js` (the script tag), `dist/index.js` (the npm package) and `dist/preview.js` (what draws messages in the dashboard).
 * Does nothing when they are newer than their sources, so that every start may ask for it. `--types` adds the declarations of the npm
 * package.
 */
import { spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";

const HOME = new URL("..", import.meta.url).pathname;
const SCRIPT = join(HOME, "dist/tidings.js");
const PACKAGE = join(HOME, "dist/index.js");
const PREVIEW = join(HOME, "dist/preview.js");

/** When a file last changed, epoch milliseconds; 0 where there is none. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

async function bundle(): Promise<void> {
  // Here, so that a start with everything in place does not load it.
  const { build, transform } = await import("esbuild");
  /** A stylesheet becomes the text that a constructed stylesheet takes. */
  const cssAsText: Plugin = {
    name: "css-as-text",
    setup({ onLoad }) {
      onLoad({ filter: /\.css$/ }, async ({ path }) => {
        const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
        return { contents: code.trim(), loader: "text" };
      });
    },
  };
  const shared = {
    bundle: true,
    minify: true,
    target: "es2022",
    legalComments: "none",
    plugins: [cssAsText],
    logLevel: "warning",
  } satisfies BuildOptions;
  await build({ ...shared, entryPoints: [join(HOME, "src/script.ts")], outfile: SCRIPT, format: "iife" });
  await build({ ...shared, entryPoints: [join(HOME, "src/index.ts")], outfile: PACKAGE, format: "esm" });
  await build({ ...shared, entryPoints: [join(HOME, "src/preview.ts")], outfile: PREVIEW, format: "iife" });
}

const sources = globSync("{src,scripts}/**/*", { cwd: HOME }).map((file) => changedAt(join(HOME, file)));
if (Math.min(...[SCRIPT, PACKAGE, PREVIEW].map(changedAt)) <= Math.max(...sources)) {
  await bundle();
}
if (process.argv.includes("--types")) {
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", "dist"];
  const { status } = spawnSync("tsc", ["-p", HOME, ...options], { cwd: HOME, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
