#!/usr/bin/env node
import * as module from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

// Plain JavaScript on purpose: an older Node must be able to read this far to say what it lacks.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Tidings needs Node.js 22.18 or newer, this is ${process.versions.node}. Start it with "npm start": npm ci brings the right one.`,
  );
  process.exit(1);
}
// Types are stripped once, not at every start.
module.enableCompileCache?.();
const { findBundle } = await import("./bundle.mjs");
const bundle = findBundle(dirname(import.meta.dirname));
const load = (name) => import(pathToFileURL(`${bundle}/${name}.js`).href);
const { loadEnvFile } = await (bundle === null
  ? import("../src/platform/cli/env-file.ts")
  : load("env-file"));
if (loadEnvFile(".env")) await (bundle === null ? import("../src/main.ts") : load("main"));
