import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { gzipSync } from "node:zlib";

/** Bytes of what every page loads, and of what comes with its first message. */
const CORE = 4_710;
const DRAWING = 3_584;
/** Bytes of the device library. */
const DEVICE = 5_120;

/** Bytes of web push, with that library inside: what a page loads for it, and what its worker runs. */
const PUSH_PAGE = 7_768;
const PUSH_WORKER = 6_700;

for (const [file, most, imports] of [
  ["web/dist/tidings.js", CORE, 1],
  ["web/dist/index.js", CORE, 1],
  ["web/dist/show.js", DRAWING, 0],
  ["device/dist/index.js", DEVICE, 0],
  ["device/dist/web.js", PUSH_PAGE, 0],
  ["device/dist/web-worker.js", PUSH_WORKER, 0],
] as const) {
  it(`${file} has at most ${most} bytes, compressed, and loads ${imports} other file`, async () => {
    const bytes = await readFile(new URL(`../packages/${file}`, import.meta.url));
    const { length } = gzipSync(bytes, { level: 9 });
    assert.ok(length <= most, `${length} bytes`);
    assert.equal(
      bytes.toString().match(/\bimport\b(?!\.meta| tidings-sw)|\brequire\(/g)?.length ?? 0,
      imports,
    );
  });
}
