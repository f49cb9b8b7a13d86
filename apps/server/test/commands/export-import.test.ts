import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import pg from "pg";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { assertSameContent } from "../portable.ts";
import { inOrder, live, seen, USERS } from "./backup.ts";
import {
  cleanUp,
  feed,
  keysOf,
  migratedDataDir,
  newDataDir,
  refused,
  type Spawned,
  serve,
  stop,
  tidings,
  until,
} from "./spawned.ts";

after(cleanUp);

type Printed = ProjectKeys & { name: string; counts: Record<string, number>; secretsMissing: string[] };

describe("tidings export and tidings import", () => {
  let env: { DATA_DIR: string };
  let server: Spawned;
  let keys: ProjectKeys;
  let file: string;
  before(async () => {
    env = { DATA_DIR: await migratedDataDir() };
    server = await serve(env);
    keys = keysOf(server);
    await live(env, server, keys);
    file = join(await newDataDir(), "project.ndjson");
    const made = await tidings(["export", "--project", keys.projectId, "--out", file], env);
    assert.deepEqual([made.code, made.stdout], [0, ""], made.stderr);
    assert.match(
      made.stderr,
      /^Exported \d+ records of My project\.\nLeft out, because they are secrets: email\.smtpUrl\.\n$/,
    );
  });

  it("writes a file that only its owner reads, the same as to standard output", async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const { stdout } = await tidings(["export", "--project", keys.projectId], env);
    assertSameContent(stdout, await readFile(file, "utf8"));
    assert.ok(!stdout.includes("hunter2"));
    const loud = await tidings(["export", "--project", keys.projectId, "--with-secrets"], env);
    assert.ok(loud.stdout.includes("hunter2") && /in clear/.test(loud.stderr));
  });

  it("brings the project to another server that runs", async () => {
    const there = { DATA_DIR: await migratedDataDir() };
    const other = await serve(there);
    const { code, stdout, stderr } = await tidings(["import", file, "--name", "Moved", "--json"], there);
    assert.deepEqual([code, stderr], [0, ""]);
    const printed = JSON.parse(stdout) as Printed;
    assert.deepEqual([printed.name, printed.counts.users], ["Moved", USERS]);
    assert.deepEqual(printed.secretsMissing, ["email.smtpUrl"]);
    assert.deepEqual(await seen(other.url, printed), await seen(server.url, keys));
    const { messages } = await createClient(other.url, printed.publishableKey).getMessages({
      query: { userId: "user-1" },
    });
    assert.deepEqual(messages, [], "campaigns come in paused");
    await inOrder(there);
    assert.equal((await stop(other)).code, 0);
    const alone = await tidings(["import"], there, await readFile(file, "utf8"));
    assert.equal(alone.code, 0, alone.stderr);
    for (const line of [
      /^projectId +\S+$/m,
      /^secretKey +pk_\S+$/m,
      /^ +1200 {2}users$/m,
      /1 campaign paused/,
    ])
      assert.match(alone.stdout, line);
  });

  it("refuses in one line, and leaves nothing behind", async () => {
    const refuses = (args: readonly string[], pattern: RegExp, input?: string): Promise<void> =>
      refused(tidings(args, env, input), pattern);
    const projects = (await tidings(["project", "list"], env)).stdout;
    const text = await readFile(file, "utf8");
    await refuses(["import"], /^The file is empty\.$/m, "");
    await refuses(["import"], /^Line \d+ is cut off: the file is not whole\.$/m, text.slice(0, -200));

    await refuses(["import", "/no/such/file"], /^\/no\/such\/file cannot be read: ENOENT\.$/m);

    await refuses(["import", file, "--name", " "], /^error: .*must be 1 to 80 characters/m);
    const noProject = "00000000-0000-0000-0000-000000000000";
    await refuses(["export", "--project", noProject], /^There is no project 0000/m);
    await refuses(["export", "--out", "/no/such/folder/x"], /cannot be written: ENOENT\.$/m);

    const folder = await newDataDir();
    await refuses(["export", "--project", noProject, "--out", join(folder, "x")], /^There is no project/m);
    assert.deepEqual(await readdir(folder), []);
    assert.equal((await tidings(["project", "list"], env)).stdout, projects);
  });

  it("leaves nothing of an import that was killed", async () => {
    const text = await readFile(file, "utf8");
    const projects = (await tidings(["project", "list"], env)).stdout;
    const counting = new pg.Client(embeddedAddress(env.DATA_DIR) as pg.ClientConfig);
    await counting.connect();
    const writing = async (): Promise<boolean> => {
      const { rows } = await counting.query(
        "select from pg_stat_activity where state = 'idle in transaction' and query like 'release savepoint%'",
      );
      return rows.length > 0;
    };
    try {
      const { child, ended } = feed(["import"], env, text.slice(0, Math.floor(text.length * 0.7)));
      await until(writing, "the import has written a part", 60_000);
      child.kill("SIGKILL");
      await ended;
      await until(async () => !(await writing()), "its transaction is gone", 60_000);
      const { rows } = await counting.query("select from users where project_id <> $1", [keys.projectId]);
      assert.equal(rows.length, 0);
    } finally {
      await counting.end();
    }
    assert.equal((await tidings(["project", "list"], env)).stdout, projects);
    await inOrder(env);
    assert.equal((await tidings(["import", file], env)).code, 0);
    await inOrder(env);
  });

  it("explains itself", async () => {
    for (const [command, says] of [
      ["export", /--with-secrets/],
      ["import", /come in paused/],
    ] as const) {
      const { code, stdout } = await tidings([command, "--help"], env);
      assert.equal(code, 0);
      assert.match(stdout, says);
    }
  });
});
