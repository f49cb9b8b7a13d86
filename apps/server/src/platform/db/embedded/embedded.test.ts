import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { chmod, chown, link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { ConfigError } from "../../config.ts";
import { createLog } from "../../log.ts";
import { type Embedded, startEmbedded } from "./embedded.ts";
import { embeddedAddress } from "./place.ts";
import { isAlive } from "./postmaster.ts";

const log = createLog("silent");
const SMALL = { shared_buffers: "32MB", max_connections: "20" };
const folders: string[] = [];
const started: Embedded[] = [];

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "tidings-embedded-"));
  folders.push(made);
  return made;
}

async function start(dataDir: string): Promise<Embedded | null> {
  const embedded = await startEmbedded(dataDir, log, { settings: SMALL });
  if (embedded !== null) started.push(embedded);
  return embedded;
}

after(async () => {
  for (const embedded of started) await embedded.stop();
  for (const made of folders) await rm(made, { recursive: true, force: true });
});

/** The answer of one statement, or null when no server listens. */
async function ask(dataDir: string, statement: string): Promise<unknown> {
  const address = embeddedAddress(dataDir);
  const client = new pg.Client("host" in address ? address : {});
  // A connection that breaks while it is open emits this event as well.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: "array" });
    return rows[0]?.[0] ?? null;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Polls; fails after a while. */
async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`It did not come to pass: ${what}`);
}

const postmasterOf = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);

describe("startEmbedded", () => {
  it("makes a database, keeps it across a stop, and listens on nothing but a socket", async () => {
    const dataDir = await folder();
    const first = await start(dataDir);
    assert.ok(first);
    assert.equal(await ask(dataDir, "create table kept as select 42 as n"), null);
    assert.equal(await ask(dataDir, "show listen_addresses"), "");
    assert.equal(await ask(dataDir, "show fsync"), "on");
    assert.equal(await ask(dataDir, "show synchronous_commit"), "on");
    assert.equal(await ask(dataDir, "show shared_buffers"), "32MB");
    const pid = postmasterOf(dataDir);
    await first.stop();
    assert.ok(!isAlive(pid) && !existsSync(join(dataDir, "postgres", "postmaster.pid")));
    assert.equal(await ask(dataDir, "select 1"), null);
    const second = await start(dataDir);
    assert.equal(await ask(dataDir, "select n from kept"), 42);
    await second?.stop();
    await second?.stop();
  });

  it("is refused where another runs, and where several start at once", async () => {
    const dataDir = await folder();
    const several = await Promise.all([1, 2, 3].map(() => start(dataDir)));
    assert.equal(several.filter((embedded) => embedded !== null).length, 1);
    assert.equal(await start(dataDir), null);
    assert.equal(await ask(dataDir, "select 1"), 1);
    for (const embedded of several) await embedded?.stop();
    assert.ok(await start(dataDir));
  });

  it("is one, where several start at once on a folder that a killed process held", async () => {
    const dataDir = await folder();
    const holder = await start(dataDir);
    await holder?.stop();
    const address = embeddedAddress(dataDir);
    const lock = join("host" in address ? address.host : "", "owner.00000000");
    const script = `require("node:net").createServer().listen(${JSON.stringify(lock)}, () => process.kill(process.pid, "SIGKILL"))`;
    await promisify(execFile)(process.execPath, ["-e", script]).catch(() => undefined);
    assert.ok(existsSync(lock));
    const several = await Promise.all([1, 2, 3].map(() => start(dataDir)));
    assert.equal(several.filter((embedded) => embedded !== null).length, 1);
    assert.equal(await ask(dataDir, "select 1"), 1);
  });

  it("starts PostgreSQL again when it ends by itself, and loses nothing", async () => {
    const dataDir = await folder();
    const embedded = await start(dataDir);
    await ask(dataDir, "create table kept as select 42 as n");
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      const pid = postmasterOf(dataDir);
      process.kill(pid, signal);
      await until(() => !isAlive(pid), "the postmaster is gone");
      await until(async () => (await ask(dataDir, "select n from kept")) === 42, "the data is there again");
      assert.notEqual(postmasterOf(dataDir), pid);
    }
    const last = postmasterOf(dataDir);
    await embedded?.stop();
    assert.ok(!isAlive(last));
  });

  it("finds a place for its socket when the folder's path is long", async () => {
    const parent = await folder();
    await chmod(parent, 0o711);
    const dataDir = join(parent, "a-rather-long-name".repeat(8));
    const embedded = await start(dataDir);
    assert.ok(embedded);
    assert.equal(await ask(dataDir, "select 1"), 1);
    await embedded.stop();
    const address = embeddedAddress(dataDir);
    if ("host" in address) await rm(address.host, { recursive: true, force: true });
  });

  it("follows no link that PostgreSQL's user puts in the place of its own files", async (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root hands PostgreSQL to another user");
    const dataDir = await folder();
    const first = await start(dataDir);
    await first?.stop();
    const kept = join(await folder(), "kept");
    await writeFile(kept, "first line\nsecond line\n", { mode: 0o600 });
    await symlink(kept, join(dataDir, "postgres", "postmaster.pid"));
    await assert.rejects(start(dataDir));
    assert.equal(readFileSync(kept, "utf8"), "first line\nsecond line\n");
    await rm(join(dataDir, "postgres", "postmaster.pid"));
    await link(kept, join(dataDir, "postgres", "postmaster.pid"));
    await start(dataDir).catch(() => undefined);
    assert.equal(readFileSync(kept, "utf8"), "first line\nsecond line\n");
  });

  it("takes no folder for its socket that somebody else has put there", async (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root can make a folder of somebody else's");
    const parent = await folder();
    await chmod(parent, 0o711);
    const dataDir = join(parent, "a-rather-long-name".repeat(8));
    const address = embeddedAddress(dataDir);
    assert.ok("host" in address);
    const stranger = 4_242;
    try {
      await mkdir(address.host, { mode: 0o777 });
      await chown(address.host, stranger, stranger);
      await assert.rejects(
        start(dataDir),
        /belongs to user 4242, and has to belong to this one: remove it\.$/,
      );
      assert.equal(statSync(address.host).uid, stranger);
      await rm(address.host, { recursive: true });
      const closed = join(await folder(), "closed");
      await mkdir(closed, { mode: 0o700 });
      await symlink(closed, address.host);
      await assert.rejects(
        start(dataDir),
        (error) => error instanceof ConfigError && /ELOOP|ENOTDIR/.test(error.message),
      );
      assert.equal(statSync(closed).uid, 0);
    } finally {
      await rm(address.host, { recursive: true, force: true });
    }
  });

  it("names the folder that PostgreSQL's user cannot pass", async (t) => {
    if (process.getuid?.() !== 0) return t.skip("only root hands PostgreSQL to another user");
    const closed = join(await folder(), "closed");
    await mkdir(closed, { mode: 0o700 });
    await assert.rejects(start(join(closed, "data")), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /is closed to the user that PostgreSQL runs as, and DATA_DIR lies in it/);
      assert.ok(error.message.startsWith(join(closed, "..")), error.message);
      return true;
    });
    await chmod(join(closed, ".."), 0o711);
    await chmod(closed, 0o711);
    assert.ok(await start(join(closed, "data")));
  });
});
