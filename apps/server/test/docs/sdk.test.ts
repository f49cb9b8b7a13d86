import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { promisify } from "node:util";
import { sharedHouse } from "../harness.ts";
import { hashOf, hashUntil, provingProject } from "../perimeter.ts";

const PAGE = await readFile(new URL("../../../../docs/sdk.md", import.meta.url), "utf8");
const house = sharedHouse();

/** Runs a line of the page as a server would, and answers what it makes. */
async function made(line: string, ...given: string[]): Promise<string> {
  const program = `
    import { createHmac } from "node:crypto";
    const [secret, userId, expires] = process.argv.slice(1);
    console.log(${line});`;
  const options = ["--input-type=module", "--eval", program, ...given];
  return (await promisify(execFile)(process.execPath, options)).stdout.trim();
}

it("docs/sdk.md has lines of Node.js that make the hash of a user, without an end and with one", async () => {
  const [, plain = ""] = /^\| Node\.js \| `([^`].*?)`/m.exec(PAGE) ?? [];
  const [, ending = ""] = /^\| Node\.js \| `` (.+?) `` \|$/m.exec(PAGE) ?? [];
  const { project, secret } = await provingProject(house);
  const userId = "Ада 💥";
  const expires = house.now() + 60_000;
  const hashes = [await made(plain, secret, userId), await made(ending, secret, userId, String(expires))];
  assert.deepEqual(hashes, [hashOf(secret, userId), hashUntil(secret, userId, expires)]);
  for (const userHash of hashes) await project.sdk.identify({ body: { userId, userHash } });
});
