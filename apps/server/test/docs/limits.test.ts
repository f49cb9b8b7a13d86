import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { defaultLimits } from "../../src/platform/limits.ts";

it("docs/running.md gives every ceiling with its default, and no other", async () => {
  const page = await readFile(new URL("../../../../docs/running.md", import.meta.url), "utf8");
  const [section = ""] = page.split("\n### Ceilings\n")[1]?.split("\n#") ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)];
  assert.deepEqual(Object.fromEntries(rows.map(([, name, value]) => [name, Number(value)])), defaultLimits);
});
