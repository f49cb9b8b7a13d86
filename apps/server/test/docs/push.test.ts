import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { sharedHouse } from "../harness.ts";
import { newApnsCredential } from "../peers/apns.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

/** The key that Apple would have given out. */
async function writeAuthKey(folder: string): Promise<string> {
  const { privateKey } = await newApnsCredential();
  const file = join(folder, "AuthKey.p8");
  await writeFile(file, privateKey);
  return file;
}

const { blocksOf } = await openPage(new URL("../../../../docs/push.md", import.meta.url));
const house = sharedHouse();

it("docs/push.md has commands that run word for word and answer what it shows", async () => {
  const { publishableKey, secretKey, api } = await house.project();
  const [commands, answers] = [blocksOf("bash"), blocksOf("json")];
  assert.ok(commands.length >= 7 && answers.length >= 4);
  const folder = await mkdtemp(join(tmpdir(), "tidings-docs-"));
  const keys = {
    PUBLISHABLE_KEY: publishableKey,
    API_KEY: secretKey,
    AUTH_KEY: await writeAuthKey(folder),
  };
  const env = { ...process.env, TIDINGS: house.url, ...keys };
  const { stdout } = await promisify(execFile)(
    "bash",
    ["-euo", "pipefail", "-c", commands.join("\necho\n")],
    {
      env,
    },
  );
  await rm(folder, { recursive: true });
  const lines = stdout.split("\n");
  assert.equal(lines.filter((line) => line !== "").length, commands.length);
  for (const line of lines) assert.doesNotMatch(line, /^\{"error"/);
  for (const answer of answers) assert.match(stdout, shownAnswer(answer));
  const [installation] = (await api.listInstallations()).installations;
  assert.deepEqual([installation?.revision, installation?.lastActiveAt], [4, house.now()]);
});
