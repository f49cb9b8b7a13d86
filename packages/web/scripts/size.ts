/** Prints what the SDK weighs on the wire. */
import { readFile } from "node:fs/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";

for (const file of ["tidings.js", "index.js", "show.js"]) {
  const bytes = await readFile(new URL(`../dist/${file}`, import.meta.url));
  const gzip = gzipSync(bytes, { level: 9 }).length;
  console.log(
    `${file.padEnd(12)} ${bytes.length} bytes, ${gzip} gzip, ${brotliCompressSync(bytes).length} brotli`,
  );
}
