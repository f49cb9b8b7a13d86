import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { findBinaries } from "../../src/platform/db/embedded/place.ts";

it("docs/self-hosting.md recommends a file that PostgreSQL can read", async () => {
  const page = await readFile(new URL("../../../../docs/self-hosting.md", import.meta.url), "utf8");
  const [, lines = ""] = /```ini\n(shared_buffers[\s\S]+?)```/.exec(page) ?? [];
  // The PostgreSQL that npm installs is built without lz4.
  const known = lines.replace(/^wal_compression = lz4/m, "wal_compression = off");
  assert.notEqual(known, lines, "it recommends lz4");
  const folder = await mkdtemp(join(tmpdir(), "tidings-settings-"));
  try {
    await writeFile(join(folder, "postgresql.conf"), known);
    const { postgres } = await findBinaries();
    // It prints a setting, and starts nothing; a line that it does not understand fails it.
    const { stdout } = await promisify(execFile)(postgres, ["-C", "max_connections", "-D", folder]);
    assert.equal(stdout.trim(), /^max_connections = (\d+)/m.exec(lines)?.[1]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
