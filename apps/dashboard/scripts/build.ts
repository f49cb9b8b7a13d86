/**
 * Makes `dist`, what the server shows under /app. Does nothing where `dist` was made from the same sources, so that every start may ask
 * for it.
 */
import { hash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HOME = join(import.meta.dirname, "..");
const ROOT = join(HOME, "../..");
const STAMP = join(HOME, "dist/.hash");

/** A digest of all that the pages are made from. */
function digestOfSources(): string {
  const own = globSync("{index.html,package.json,{src,scripts}/**/*.*}", { cwd: HOME }).map((file) =>
    join(HOME, file),
  );
  const client = globSync("packages/client/src/**/*.ts", { cwd: ROOT }).map((file) => join(ROOT, file));
  const files = [...own, ...client, join(ROOT, "package-lock.json")].sort();
  const digests = files.map((file) => `${file.slice(ROOT.length)} ${hash("sha256", readFileSync(file))}`);
  return hash("sha256", digests.join("\n"));
}

function builtFrom(): string | null {
  try {
    return readFileSync(STAMP, "utf8");
  } catch {
    return null;
  }
}

async function bundle(): Promise<void> {
  // Here, so that a start with everything in place does not load them.
  const [{ build }, { default: react }] = await Promise.all([import("vite"), import("@vitejs/plugin-react")]);
  await build({
    root: HOME,
    base: "/app/",
    configFile: false,
    logLevel: "warn",
    plugins: [react()],
    build: {
      target: "es2022",
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 900,
    },
  });
}

const digest = digestOfSources();
if (builtFrom() !== digest) {
  await bundle();
  writeFileSync(STAMP, digest);
}
