import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { inOrder, live, seen } from "./backup.ts";
import {
  assertOneLine,
  cleanUp,
  keysOf,
  migratedDataDir,
  newDataDir,
  type Spawned,
  serve,
  stop,
  tidings,
} from "./spawned.ts";

after(cleanUp);

/** A copy as an operator makes it: owners and permissions are those of the original. */
async function copied(dataDir: string): Promise<{ DATA_DIR: string }> {
  const copy = await newDataDir();
  assert.equal(spawnSync("cp", ["-a", `${dataDir}/.`, copy]).status, 0);
  return { DATA_DIR: copy };
}

describe("a copy of DATA_DIR", () => {
  let env: { DATA_DIR: string };
  let server: Spawned;
  let keys: ProjectKeys;
  before(async () => {
    env = { DATA_DIR: await migratedDataDir() };
    server = await serve(env);
    keys = keysOf(server);
    await live(env, server, keys);
  });

  it("starts elsewhere with all that was acknowledged, its keys and its secrets", async () => {
    const sdk = createClient(server.url, keys.publishableKey);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => sdk.track({ body: { userId: `late-${i}`, event: "late" } })),
    );
    const was = await seen(server.url, keys);
    assert.equal((await stop(server)).code, 0);
    const there = await copied(env.DATA_DIR);
    assert.ok(existsSync(join(there.DATA_DIR, "secret.key")));
    const copy = await serve(there);
    try {
      assert.deepEqual(await seen(copy.url, keys), was);
      const secrets = await tidings(["export", "--project", keys.projectId, "--with-secrets"], there);
      assert.ok(secrets.stdout.includes("hunter2"), secrets.stderr);
      await inOrder(there);
    } finally {
      await stop(copy);
    }
  });

  it("is of no use for secrets without its key", async () => {
    const there = await copied(env.DATA_DIR);
    await writeFile(join(there.DATA_DIR, "secret.key"), `${Buffer.alloc(32, 7).toString("base64")}\n`);
    const { code, stderr } = await tidings(["export", "--project", keys.projectId, "--with-secrets"], there);
    assert.equal(code, 1);
    assertOneLine(stderr, /^email\.smtpUrl cannot be opened: it was sealed with another SECRET_KEY/m);
    const doctor = await tidings(["doctor"], there);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /^ +1 +\d+ ms {2}secret key: /m);
    assert.match(doctor.stdout, /^1 difference in \d+ checks[\s\S]*The secret key is not the one/m);
  });
});
