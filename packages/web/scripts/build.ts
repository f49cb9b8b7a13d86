/**
 * Makes `dist/tidings.js` (the script tag), `dist/index.js` (the npm package), `dist/show.js` (what draws messages, loaded by both with
 * the first one) and `dist/preview.js` (what draws messages in the dashboard). Does nothing when they are newer than their sources, so
 * that every start may ask for it. `--types` adds the declarations of the npm package.
 */
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { globSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";

const HOME = join(import.meta.dirname, "..");
const MADE = ["tidings.js", "index.js", "show.js", "preview.js"].map((file) => join(HOME, "dist", file));

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
    absWorkingDir: HOME,
    outdir: "dist",
    bundle: true,
    minify: true,
    target: "es2022",
    legalComments: "none",
    plugins: [cssAsText],
    logLevel: "warning",
  } satisfies BuildOptions;
  // Both are entries, so that the package imports the drawing as a file of its own by a name that stays.
  await build({
    ...shared,
    entryPoints: ["src/index.ts", "src/show.ts"],
    format: "esm",
    splitting: true,
  });
  // Other bytes have another name, so that browsers may keep the file for good.
  const digest = hash("sha256", await readFile(join(HOME, "dist/show.js"))).slice(0, 16);
  await build({
    ...shared,
    entryPoints: { tidings: "src/script.ts" },
    format: "iife",
    define: { SHOW_FILE: `"show-${digest}.js"` },
  });
  await build({ ...shared, entryPoints: ["src/preview.ts"], format: "iife" });
}

const sources = globSync("{src,scripts}/**/*", { cwd: HOME }).map((file) => changedAt(join(HOME, file)));
if (Math.min(...MADE.map(changedAt)) <= Math.max(...sources)) {
  await bundle();
}
if (process.argv.includes("--types")) {
  const output = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", "dist"];
  // What a check remembers of the sources says nothing of what lies in `dist`, which may be gone.
  const anew = ["--incremental", "false", "--tsBuildInfoFile", "null"];
  const { status } = spawnSync("tsc", ["-p", HOME, ...output, ...anew], { cwd: HOME, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
