import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { gzipSync } from "node:zlib";

/** Bytes of what every page loads, and of what comes with its first message. */
const CORE = 4_710;
const DRAWING = 3_584;

for (const [file, most, imports] of [
  ["tidings.js", CORE, 1],
  ["index.js", CORE, 1],
  ["show.js", DRAWING, 0],
] as const) {
  it(`${file} has at most ${most} bytes, compressed, and loads ${imports} other file`, async () => {
    const bytes = await readFile(new URL(`../packages/web/dist/${file}`, import.meta.url));
    const { length } = gzipSync(bytes, { level: 9 });
    assert.ok(length <= most, `${length} bytes`);
    assert.equal(bytes.toString().match(/\bimport\b|\brequire\(/g)?.length ?? 0, imports);
  });
}
