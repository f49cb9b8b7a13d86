import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeMigratedFolder } from "../../../test/data-folder.ts";
import { logFile } from "../../../test/secrets/secrets-of-the-run.ts";
import { createTidings, type Tidings } from "../../app.ts";
import { type Config, ConfigError, loadConfig } from "../../platform/config.ts";
import { openDatabase } from "../../platform/db/db.ts";
import { type Embedded, startEmbedded } from "../../platform/db/embedded/embedded.ts";
import { createLog } from "../../platform/log.ts";
import { drainLoops } from "../../platform/loops/loops.ts";
import { createSecrets } from "../../platform/secrets/secrets.ts";
import { backupLoop } from "./backup-loop.ts";
import { faultOfBackups } from "./public.ts";

const log = createLog("silent", logFile());
const SMALL = { shared_buffers: "32MB", max_connections: "20" };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOON = Date.UTC(2026, 0, 15, 12);

let dataDir: string;
let embedded: Embedded | null = null;
let clock = NOON;
const opened: Tidings[] = [];

before(async () => {
  dataDir = await makeMigratedFolder("tidings-backup-loop-");
  embedded = await startEmbedded(dataDir, log, { settings: SMALL });
  assert.ok(embedded);
});
after(async () => {
  for (const tidings of opened) await tidings.close();
  await embedded?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const settings = (env: Readonly<Record<string, string>>): Config =>
  loadConfig({ DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "silent", ...env });

/** A server on the embedded database, whose clock the tests move. */
function open(env: Readonly<Record<string, string>>) {
  assert.ok(embedded);
  const database = openDatabase(embedded.address, log, { sizes: { pool: 3, hotPool: 1 } });
  const secrets = createSecrets(Buffer.alloc(32, "tidings tests"));
  const tidings = createTidings({ config: settings(env), database, log, secrets, clock: () => clock });
  opened.push(tidings);
  const { app } = tidings;
  return {
    fault: () => faultOfBackups(app)?.reason ?? null,
    turn: () => drainLoops(app, [backupLoop]),
    /** What a server says first: it says the same for some seconds, by its own clock. */
    async metric(name: string): Promise<number | null> {
      const text = await app.metrics.registry.metrics();
      const value = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
      return value === undefined ? null : Number(value);
    },
  };
}

const backupsIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);
const named = (at: number): string =>
  `tidings-${new Date(at).toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

const NEWEST = "tidings_backup_newest_timestamp_seconds";
const FAILING = "tidings_backup_failing";

describe("the backups of a server", () => {
  it("are made at once, then as often as wanted, and so many stay", async () => {
    const folder = join(dataDir, "backups");
    const server = open({ BACKUP_EVERY: "6h", BACKUP_KEEP: "2" });
    assert.equal(await open({ BACKUP_EVERY: "6h" }).metric(NEWEST), 0);
    await server.turn();
    assert.deepEqual(backupsIn(folder), [named(NOON)]);
    assert.equal(await server.metric(NEWEST), NOON / 1_000);
    clock = NOON + 6 * HOUR_MS - 1;
    await server.turn();
    // Another process of the same folder knows of the first one.
    await open({ BACKUP_EVERY: "6h" }).turn();
    assert.equal(backupsIn(folder).length, 1);
    const times = [1, 2, 3].map((n) => NOON + n * 6 * HOUR_MS);
    for (const at of times) {
      clock = at;
      await server.turn();
    }
    assert.deepEqual(backupsIn(folder), times.slice(1).map(named));
    assert.equal(await server.metric(FAILING), 0);
  });

  it("are made again once a clock that was ahead is right", async () => {
    const folder = join(dataDir, "ahead");
    const server = open({ BACKUP_EVERY: "1d", BACKUP_KEEP: "1", BACKUP_FOLDER: folder });
    const now = clock;
    clock = now + 365 * 24 * HOUR_MS;
    await server.turn();
    clock = now;
    await server.turn();
    assert.deepEqual(backupsIn(folder), [named(now)]);
  });

  it("are tried again ten minutes after a failure, which the metrics show", async () => {
    const [seenFailing, seenAfter] = ["one file", "another file"].map((name) => {
      const folder = join(dataDir, name);
      return { folder, ...open({ BACKUP_EVERY: "1d", BACKUP_FOLDER: folder }) };
    });
    assert.ok(seenFailing && seenAfter);
    for (const server of [seenFailing, seenAfter]) {
      await writeFile(server.folder, "");
      await server.turn();
      const reason = `No backup was made. A file lies where a folder should be. (${server.folder})`;
      assert.equal(server.fault(), reason);
      await rm(server.folder);
    }
    assert.equal(await seenFailing.metric(FAILING), 1);
    clock += 10 * MINUTE_MS - 1;
    await seenAfter.turn();
    assert.ok(!existsSync(seenAfter.folder));
    clock += 1;
    await seenAfter.turn();
    assert.deepEqual([seenAfter.fault(), await seenAfter.metric(FAILING)], [null, 0]);
    assert.deepEqual(backupsIn(seenAfter.folder), [named(clock)]);
  });

  it("are not made where none are wanted", async () => {
    const folder = join(dataDir, "unwanted");
    const server = open({ BACKUP_FOLDER: folder });
    await server.turn();
    assert.ok(!existsSync(folder));
    assert.deepEqual([await server.metric(NEWEST), await server.metric(FAILING)], [null, null]);
  });
});

describe("the settings of backups", () => {
  it("are refused by name", () => {
    const wrong = (env: Readonly<Record<string, string>>, pattern: RegExp) =>
      assert.throws(
        () => settings(env),
        (error) => error instanceof ConfigError && pattern.test(error.message),
        JSON.stringify(env),
      );
    for (const every of ["0h", "5", "1w", "h", "1.5h", "-1d", "1 d", "10000h"])
      wrong({ BACKUP_EVERY: every }, /^BACKUP_EVERY \(.*\) is not usable: must be hours or days/);
    for (const keep of ["0", "-1", "1.5", "all", "10000"])
      wrong({ BACKUP_KEEP: keep }, /^BACKUP_KEEP \(.*\) is not usable: must be a whole number from 1/);
    const url = "postgres://ada:hunter2@127.0.0.1:1/x";
    wrong({ BACKUP_EVERY: "1d", ROLES: "api" }, /^BACKUP_EVERY needs the role worker/);
    wrong({ BACKUP_EVERY: "1d", DATABASE_URL: url }, /^BACKUP_EVERY is for the embedded database/);
    assert.throws(
      () => settings({ BACKUP_EVERY: "1d", DATABASE_URL: url }),
      (error) => !String(error).includes("hunter2"),
    );
  });

  it("say hours and days", () => {
    assert.equal(settings({ BACKUP_EVERY: "6h" }).backups.everyMs, 6 * HOUR_MS);
    assert.deepEqual(settings({ BACKUP_EVERY: "2d", BACKUP_KEEP: "3", BACKUP_FOLDER: "/b/../c" }).backups, {
      everyMs: 48 * HOUR_MS,
      keep: 3,
      folder: "/c",
    });
    assert.deepEqual(settings({}).backups, { everyMs: null, keep: 7, folder: join(dataDir, "backups") });
  });
});
