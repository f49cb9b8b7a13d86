import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { gzipSync } from "node:zlib";

const MAX_BYTES = 6_144;

for (const file of ["tidings.js", "index.js"]) {
  it(`${file} is one file of at most ${MAX_BYTES} bytes, compressed`, async () => {
    const bytes = await readFile(new URL(`../packages/web/dist/${file}`, import.meta.url));
    const { length } = gzipSync(bytes, { level: 9 });
    assert.ok(length <= MAX_BYTES, `${length} bytes`);
    assert.doesNotMatch(bytes.toString(), /\bimport\b|\brequire\(/);
  });
}
