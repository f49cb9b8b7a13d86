/**
 * Finds the bundle of the server (`scripts/build.ts`), if it was made from exactly the sources that are there. Plain JavaScript, because
 * every start needs it before anything else is loaded.
 */
import { hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";

/** What is seen of a file without reading it. Every write changes it, even where size and date are set back. */
export function glance(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "none" : `${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
}

/** The digest of a file's bytes, or "none". */
export function digest(path) {
  try {
    return hash("sha256", readFileSync(path), "base64url");
  } catch {
    return "none";
  }
}

/** What `dist` says of the bundle in it, or null. */
export function readMade(dist) {
  try {
    return JSON.parse(readFileSync(`${dist}/made.json`, "utf8"));
  } catch {
    return null;
  }
}

/**
 * The folder of the bundle; null where there is none, it is damaged, or a source has changed. A source that only looks changed, as in a
 * copy, is read.
 * @param home folder of the server, `apps/server`
 */
export function findBundle(home) {
  try {
    const dist = `${home}/dist`;
    const { folder, files, sources } = readMade(dist);
    const isWhole = files.every(([name, size]) => statSync(`${dist}/${folder}/${name}`).size === size);
    const isOf = ([path, glanced, was]) =>
      glance(`${home}/${path}`) === glanced || digest(`${home}/${path}`) === was;
    return isWhole && sources.every(isOf) ? `${dist}/${folder}` : null;
  } catch {
    return null;
  }
}
