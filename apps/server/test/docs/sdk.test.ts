import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { promisify } from "node:util";
import { testHouse } from "../harness.ts";
import { hashOf, provingProject } from "../perimeter.ts";

const PAGE = await readFile(new URL("../../../../docs/sdk.md", import.meta.url), "utf8");
const house = testHouse();

it("docs/sdk.md has a line of Node.js that makes the hash of a user", async () => {
  const [, line = ""] = /^\| Node\.js \| `(.+?)`/m.exec(PAGE) ?? [];
  const { project, secret } = await provingProject(house);
  const userId = "Ада 💥";
  const program = `
    import { createHmac } from "node:crypto";
    const [secret, userId] = process.argv.slice(1);
    console.log(${line});`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...["--input-type=module", "--eval", program, secret, userId],
  ]);
  assert.equal(stdout.trim(), hashOf(secret, userId));
  await project.sdk.identify({ body: { userId, userHash: stdout.trim() } });
});
