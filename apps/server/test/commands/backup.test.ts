import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import { FileCopying } from "../../src/features/backups/copying/copy-file.ts";
import { live, seen } from "./backup.ts";
import {
  ask,
  assertOneLine,
  cleanUp,
  done,
  type Ended,
  feed,
  keysOf,
  killWhen,
  migratedDataDir,
  newDataDir,
  postmasterOf,
  refused,
  type Spawned,
  serve,
  stop,
  tidings,
  tidingsAlone,
  until,
} from "./spawned.ts";

type Check = { name: string; differences: number };
type Made = {
  path: string;
  startedAt: number;
  endedAt: number;
  files: number;
  bytes: number;
  cluster: string;
  checks: Check[] | null;
};

let env: { DATA_DIR: string };
let server: Spawned;
let keys: ProjectKeys;
let place: string;

const serveSource = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
  server = await serve({ ...env, RATE_LIMITS: "off", ...more });
};

before(async () => {
  env = { DATA_DIR: await migratedDataDir() };
  place = await mkdtemp(join(tmpdir(), "b ü-"));
  // The user that PostgreSQL runs as passes through it.
  await chmod(place, 0o711);
  await serveSource();
  keys = keysOf(server);
  await live(env, server, keys);
});
after(async () => {
  await cleanUp();
  await rm(place, { recursive: true, force: true });
});

let folders = 0;
/** A folder for backups that is not there yet. Its path is short: the socket of a copy that is started has to lie in it, to be found here. */
const newFolder = (): string => join(place, `${++folders}`);

const backUp = (folder: string, ...options: string[]): Promise<Ended> =>
  tidings(["backup", folder, ...options], env);

/** Makes a backup, and answers what it says of it. */
const made = async (folder: string, ...options: string[]): Promise<Made> =>
  JSON.parse(await done(backUp(folder, "--json", ...options))) as Made;

const inside = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);
const draftsIn = (folder: string): string[] =>
  inside(folder).filter((name) => name.startsWith(".unfinished-"));

const slots = () => ask(env.DATA_DIR, "select slot_name from pg_replication_slots");

/** A file in the folder of the database that takes seconds to copy, and what of it is in a draft, as soon as a backup is in the middle. */
const LONG = "long to copy";
const LONG_BYTES = 3 * 2 ** 30;
const sourceOfLong = (): string => join(env.DATA_DIR, "postgres", "base", LONG);
function isInTheMiddle(folder: string): boolean {
  const [draft] = draftsIn(folder);
  const copied = join(folder, draft ?? "", "postgres", "base", LONG);
  return draft !== undefined && (statSync(copied, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

async function whileLong(act: () => Promise<void>): Promise<void> {
  await writeFile(sourceOfLong(), "");
  await truncate(sourceOfLong(), LONG_BYTES);
  try {
    await act();
  } finally {
    await rm(sourceOfLong());
  }
}

/** Changes what a backup says of itself. */
function rewrite(path: string, change: Readonly<Record<string, unknown>>): void {
  const file = join(path, "backup.json");
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as object), ...change }));
}

describe("tidings backup, beside a server", () => {
  it("has all that was acknowledged before, once, and starts as a server with the same keys", async () => {
    const sdk = createClient(server.url, keys.publishableKey);
    const before: string[] = [];
    let sent = 0;
    let isOver = false;
    const track = async (): Promise<void> => {
      while (!isOver) {
        const eventId = `beside-${sent++}`;
        await sdk.track({ body: { userId: `user-${sent % 20}`, event: "beside", eventId } });
        before.push(eventId);
      }
    };
    const tracking = Promise.all([track(), track(), track()]);
    await until(() => before.length > 50, "events are acknowledged");
    const acknowledged = [...before];
    const folder = newFolder();
    const { path, checks, startedAt, endedAt, ...rest } = await made(folder, "--check").finally(() => {
      isOver = true;
      return tracking;
    });
    assert.ok(before.length > acknowledged.length, "events came in meanwhile");
    assert.deepEqual(inside(folder), [path.slice(folder.length + 1)]);
    assert.match(path, /tidings-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);
    assert.ok(endedAt >= startedAt && rest.files > 100 && rest.bytes > 1e6 && /^\d+$/.test(rest.cluster));
    assert.ok((checks ?? []).length > 40);
    assert.deepEqual(
      checks?.filter(({ differences }) => differences > 0),
      [],
    );

    const there = { DATA_DIR: path };
    const copy = await serve({ ...there, RATE_LIMITS: "off" });
    try {
      const found = await ask<{ id: string; times: number }>(
        path,
        "select event_id as id, count(*)::int as times from events where name = 'beside' group by 1",
      );
      assert.deepEqual(
        found.filter(({ times }) => times > 1),
        [],
      );
      const has = new Set(found.map(({ id }) => id));
      assert.deepEqual(
        acknowledged.filter((id) => !has.has(id)),
        [],
      );
      const rows = "select d::text from deliveries d order by 1";
      assert.deepEqual(await ask(path, rows), await ask(env.DATA_DIR, rows));
      const [was, is] = [await seen(server.url, keys), await seen(copy.url, keys)];
      assert.deepEqual([is.campaigns, is.firstSeenAt], [was.campaigns, was.firstSeenAt]);
      const secrets = await tidings(["export", "--project", keys.projectId, "--with-secrets"], there);
      assert.ok(secrets.stdout.includes("hunter2"), secrets.stderr);
      const { campaigns } = await createClient(copy.url, keys.secretKey).listCampaigns();
      await createClient(copy.url, keys.publishableKey).track({ body: { userId: "new", event: "there" } });
      assert.equal(campaigns.length, 1);

      // Data that a server was started on is no backup that others remove.
      const kept = await made(folder, "--keep", "1");
      assert.deepEqual(inside(folder), [path, kept.path].map((each) => each.slice(folder.length + 1)).sort());
      assert.equal(existsSync(join(path, "postgres", "PG_VERSION")), true);
    } finally {
      assert.equal((await stop(copy)).code, 0);
    }
  });

  it("says what it made, and where", async () => {
    const folder = join(newFolder(), "below", "Größe – 1");
    const text = await done(backUp(folder));
    const [name] = inside(folder);
    const lines = text.trimEnd().split("\n");
    assert.equal(lines[0], join(folder, name ?? ""));
    assert.match(lines[1] ?? "", /^\d+ files, \d+\.\d MB, \d+\.\d s$/);
    assert.match(lines[2] ?? "", /secret\.key/);
    assert.match(await done(backUp(folder, "--check")), /^It starts\. 0 differences in \d+ checks/m);
    assert.deepEqual(await slots(), []);
  });

  it("with --check ends with 1 where something differs, and names it", async () => {
    const check = "event names: users and occurrences";
    const raise = (by: string) =>
      ask(env.DATA_DIR, `update event_names set users = users ${by} where name = 'looked'`);
    await raise("+ 1");
    try {
      const { code, stdout, stderr } = await backUp(newFolder(), "--check");
      assert.deepEqual([code, stderr], [1, ""]);
      assert.match(stdout, new RegExp(`^ +1 +\\d+ ms {2}${check}$`, "m"));
      assert.match(stdout, /^It starts\. 1 difference in /m);
      const json = await backUp(newFolder(), "--check", "--json");
      assert.equal(json.code, 1);
      const { checks } = JSON.parse(json.stdout) as Made;
      assert.deepEqual(
        checks?.filter(({ differences }) => differences > 0).map(({ name }) => name),
        [check],
      );
    } finally {
      await raise("- 1");
    }
  });

  it("is refused where it cannot be made, in one line", async () => {
    const file = join(place, "file");
    await writeFile(file, "");
    const link = join(place, "link");
    await symlink(join(env.DATA_DIR, "postgres"), link);
    const sorry = (folder: string, pattern: RegExp) => refused(backUp(folder), pattern);
    await sorry(file, /^No backup was made\. A file lies where a folder should be\. \(/);
    await sorry(join(file, "below"), /^No backup was made\. A file lies where a folder should be\. \(/);
    await sorry(
      "/proc/tidings",
      /^No backup was made\. The file cannot be written \(ENOENT\)\. \(\/proc\/tidings/,
    );
    const own = /lies in the folder of the database\. Choose one outside of it\.$/m;
    for (const folder of [
      join(env.DATA_DIR, "postgres"),
      join(env.DATA_DIR, "postgres", "base", "x"),
      join(link, "x"),
    ])
      await sorry(folder, own);
    assert.ok(!existsSync(join(env.DATA_DIR, "postgres", "base", "x")));
    await refused(
      tidings(["backup", newFolder()], { DATABASE_URL: "postgres://ada:hunter2@127.0.0.1:1/x" }),
      /^DATABASE_URL names your own PostgreSQL: pg_dump/,
    );
    await refused(
      tidings(["backup", newFolder()], { DATA_DIR: await newDataDir() }),
      /^There is no data in /,
    );
    await refused(backUp(newFolder(), "--keep", "0"), /must be a whole number from 1/);
  });

  it("is refused on a disk that is too small, and leaves nothing on one that gets full", async (t) => {
    const [small, full] = [join(place, "small"), join(place, "full")];
    await Promise.all([mkdir(small), mkdir(full)]);
    if (!mounted(small, "size=8m")) return t.skip("this user may not mount anything");
    try {
      await refused(
        backUp(join(small, "x")),
        /^No backup was made: it takes \d+ MB, and \d+ MB are free on the disk of /,
      );
      assert.deepEqual(inside(join(small, "x")), []);
      // Others may have used it while files were copied.
      const work = new FileCopying(small, new AbortController().signal, () => 0);
      await assert.rejects(work.rest(), /No backup was made: no more than 8 MB are free on the disk of /);
      // Of bytes there are enough.
      assert.ok(mounted(full, "size=1g,nr_inodes=300"));
      await refused(backUp(join(full, "x")), /^No backup was made\. The disk is full\. \(/);
      assert.deepEqual(inside(join(full, "x")), []);
      assert.deepEqual(await slots(), []);
    } finally {
      for (const path of [small, full]) spawnSync("/usr/bin/env", ["umount", path]);
    }
  });
});

const mounted = (path: string, options: string): boolean =>
  process.getuid?.() === 0 &&
  spawnSync("/usr/bin/env", ["mount", "-t", "tmpfs", "-o", options, "tmpfs", path]).status === 0;

describe("tidings backup, in the middle", () => {
  it("is the only one; stopped by SIGINT, it leaves nothing", () =>
    whileLong(async () => {
      const folder = newFolder();
      const first = feed(["backup", folder], env, "");
      await until(() => isInTheMiddle(folder), "the first is in the middle");
      // However long the second takes, the first stays there.
      first.child.kill("SIGSTOP");
      assert.equal((await slots()).length, 1);
      await refused(backUp(newFolder()), /^No backup was made: another one is under way\./);
      assert.ok(isInTheMiddle(folder));
      first.child.kill("SIGINT");
      first.child.kill("SIGCONT");
      await refused(first.ended, /^No backup was made: it was stopped\.$/m);
      assert.deepEqual(inside(folder), []);
      await until(async () => (await slots()).length === 0, "its slot is gone");
    }));

  it("killed, leaves a draft that the next one removes, and no slot", async () => {
    const folder = newFolder();
    await whileLong(async () => {
      await killWhen(["backup", folder], env, () => isInTheMiddle(folder));
      assert.equal(inside(folder).length, 1);
      assert.equal(draftsIn(folder).length, 1);
      await until(async () => (await slots()).length === 0, "its slot is gone");
    });
    const { path, checks } = await made(folder, "--check");
    assert.deepEqual(inside(folder), [path.slice(folder.length + 1)]);
    assert.ok(checks?.every(({ differences }) => differences === 0));
  });

  it("stopped while it checks, leaves the backup and no PostgreSQL", async () => {
    const folder = newFolder();
    const checking = feed(["backup", folder, "--check"], env, "");
    const copy = (): string =>
      join(folder, inside(folder).find((name) => name.startsWith("tidings-")) ?? "none");
    await until(() => postmasterOf(copy()) !== null, "the copy is started");
    checking.child.kill("SIGINT");
    const { code, stderr } = await checking.ended;
    assert.equal(code, 1);
    assertOneLine(stderr, /is complete, and was not checked: that was stopped\.$/m);
    assert.equal(postmasterOf(copy()), null);
    assert.ok(existsSync(join(copy(), "backup.json")));
  });

  it("ends with a server that is stopped while it makes one, in time", async () => {
    assert.equal((await stop(server)).code, 0);
    const folder = newFolder();
    await whileLong(async () => {
      await serveSource({ BACKUP_EVERY: "1h", BACKUP_FOLDER: folder });
      await until(() => isInTheMiddle(folder), "a backup is in the middle");
      const began = performance.now();
      const { code } = await stop(server);
      assert.equal(code, 0);
      assert.ok(performance.now() - began < 10_000, "it ends within ten seconds");
      assert.deepEqual(inside(folder), []);
    });
    assert.deepEqual(postmasterOf(env.DATA_DIR), null);
  });
});

describe("tidings backup, without a server", () => {
  it("keeps as many as wanted of this database, and leaves alone what is not its own", async () => {
    const folder = newFolder();
    const strange = await made(folder);
    rewrite(strange.path, { cluster: "1" });
    const elsewhere = await made(folder);
    rewrite(elsewhere.path, { dataDir: "/somewhere/else" });
    const later = await made(folder);
    rewrite(later.path, { format: 2 });
    await mkdir(join(folder, "tidings-2020-01-01T00-00-00Z"));
    await writeFile(join(folder, "a file"), "of somebody");
    const others = inside(folder);
    const first = await made(folder, "--keep", "2");
    const second = await made(folder, "--keep", "2");
    const third = await made(folder, "--keep", "2");
    const left = inside(folder).filter((name) => !others.includes(name));
    assert.deepEqual(left.map((name) => join(folder, name)).sort(), [second.path, third.path].sort());
    assert.ok(!existsSync(first.path));
    // A clock that was ahead: the one just made is not the oldest for that.
    rewrite(third.path, { startedAt: Date.now() + 365 * 86_400_000 });
    const fourth = await made(folder, "--keep", "1");
    assert.ok(existsSync(fourth.path) && !existsSync(third.path) && !existsSync(second.path));
    assert.ok(others.every((name) => inside(folder).includes(name)));
  });

  it("says that a backup is there, where an older one cannot be removed", async (t) => {
    const folder = newFolder();
    const old = await made(folder);
    const mount = join(old.path, "mounted");
    await mkdir(mount);
    if (!mounted(mount, "size=1m")) return t.skip("this user may not mount anything");
    const mountNow = (): string => join(folder, draftsIn(folder)[0] ?? old.path, "mounted");
    try {
      const { code, stderr } = await backUp(folder, "--keep", "1");
      assert.equal(code, 1);
      assertOneLine(stderr, /tidings-.* is complete\. An older one cannot be removed: EBUSY at /);
      assert.equal(inside(folder).filter((name) => name.startsWith("tidings-")).length, 1);
    } finally {
      spawnSync("/usr/bin/env", ["umount", draftsIn(folder).length > 0 ? mountNow() : mount]);
    }
    const next = await made(folder, "--keep", "1");
    assert.deepEqual(inside(folder), [next.path.slice(folder.length + 1)]);
  });

  it("starts the database for as long as it takes", async () => {
    const folder = newFolder();
    const text = await done(tidingsAlone(["backup", folder, "--check"], env));
    assert.match(text, /^It starts\. 0 differences/m);
    assert.equal(postmasterOf(env.DATA_DIR), null);
    const [name = ""] = inside(folder);
    const copy = await serve({ DATA_DIR: join(folder, name) });
    try {
      await serveSource();
      assert.deepEqual(await seen(copy.url, keys), await seen(server.url, keys));
    } finally {
      await stop(copy);
    }
  });

  it("lies in DATA_DIR where no folder is named, and is no part of the next one", async () => {
    assert.equal((await tidings(["backup"], env)).code, 0);
    const { path } = JSON.parse(await done(tidings(["backup", "--json"], env))) as Made;
    assert.ok(path.startsWith(join(env.DATA_DIR, "backups", "tidings-")));
    assert.deepEqual(inside(path), ["backup.json", "postgres", "secret.key"]);
  });
});
