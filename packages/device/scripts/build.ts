/**
 * Makes `dist/index.js`, the npm package, which `/demo/device` loads as well, and for web push `dist/web.js` (the page's module) and
 * `dist/web-worker.js` (a script for the site's worker). Does nothing when they are newer than their sources, so that every start may ask
 * for it. `--types` adds the declarations.
 */
import { spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";

const HOME = join(import.meta.dirname, "..");
const MADE = ["index.js", "web.js", "web-worker.js"].map((file) => join(HOME, "dist", file));

/** When a file last changed, epoch milliseconds; 0 where there is none. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const sources = globSync("{src,scripts}/**/*", { cwd: HOME }).map((file) => changedAt(join(HOME, file)));
if (Math.min(...MADE.map(changedAt)) <= Math.max(...sources)) {
  // Here, so that a start with everything in place does not load it.
  const { build } = await import("esbuild");
  const shared = {
    absWorkingDir: HOME,
    outdir: "dist",
    bundle: true,
    minify: true,
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
  } satisfies BuildOptions;
  await build({ ...shared, entryPoints: { index: "src/index.ts", web: "src/web/page.ts" }, format: "esm" });
  // A script, as `importScripts` takes no module.
  await build({ ...shared, entryPoints: { "web-worker": "src/web/worker.ts" }, format: "iife" });
}
if (process.argv.includes("--types")) {
  const output = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", "dist"];
  // What a check remembers of the sources says nothing of what lies in `dist`, which may be gone.
  const anew = ["--incremental", "false", "--tsBuildInfoFile", "null"];
  for (const project of ["tsconfig.json", "tsconfig.page.json"]) {
    const { status } = spawnSync("tsc", ["-p", project, ...output, ...anew], { cwd: HOME, stdio: "inherit" });
    process.exitCode ||= status ?? 1;
  }
}
