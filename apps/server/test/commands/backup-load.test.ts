import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createClient } from "@tidings/client";
import pg from "pg";
import { startEmbedded } from "../../src/platform/db/embedded/embedded.ts";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { createLog } from "../../src/platform/log.ts";
import { rounds } from "../rounds.ts";
import { logFile } from "../secrets/secrets-of-the-run.ts";
import { ask, cleanUp, done, keysOf, migratedDataDir, serve, tidings, until } from "./spawned.ts";

after(cleanUp);

const BACKUPS = rounds(5, 10, 3);
const BATCH = 40;
/** Backups are made until so much was written beside them. */
const GROWN_BYTES = 100e6;
/** Bytes that a table is grown by at a time: random ones, which PostgreSQL does not compress. */
const GROWTH_ROWS = 1_500;
const MODEST = { shared_buffers: "32MB", max_connections: "20" };

/** What is written while backups are made: acknowledged events in their order, and how often everything else came round. */
type Load = { acknowledged: string[]; rounds: number; grown: number };

/** Tables of which one transaction always writes both: as many rows as the counter says. */
const TABLES = `
  create table load_counter (n int not null);
  insert into load_counter values (0);
  create table load_rows (n int not null, filler text not null);
  create table load_grown (filler text not null);`;

const filler = (rows: string): string =>
  `select (select string_agg(md5(random()::text || n::text || i::text), '') from generate_series(1, 250) i) from ${rows} n`;

/** Extends, rewrites, empties, makes and drops tables, and has checkpoints in between. */
async function churn(db: pg.Client, load: Load, isOver: () => boolean): Promise<void> {
  for (let n = 1; !isOver(); n++) {
    await db.query("begin");
    await db.query("update load_counter set n = n + 1");
    await db.query("insert into load_rows select n, repeat('x', 3000) from load_counter");
    await db.query("commit");
    await db.query(`insert into load_grown ${filler(`generate_series(1, ${GROWTH_ROWS})`)}`);
    load.grown += GROWTH_ROWS * 8_000;
    await db.query(`create table load_passing_${n} as select * from load_rows`);
    if (n > 2) await db.query(`drop table load_passing_${n - 2}`);
    if (n % 2 === 0) await db.query("vacuum full load_rows");
    if (n % 3 === 0) await db.query("checkpoint");
    if (n % 6 === 0) await db.query("truncate load_grown");
    load.rounds = n;
  }
}

test("backups that are made under load are whole", { timeout: 420_000 }, async () => {
  const env = { DATA_DIR: await migratedDataDir() };
  const folder = await mkdtemp(join(tmpdir(), "b-"));
  await chmod(folder, 0o711);
  const server = await serve({ ...env, RATE_LIMITS: "off" });
  const keys = keysOf(server);
  const api = createClient(server.url, keys.secretKey);
  await ask(env.DATA_DIR, TABLES);
  const address = embeddedAddress(env.DATA_DIR);
  const db = new pg.Client("host" in address ? address : {});
  await db.connect();
  const load: Load = { acknowledged: [], rounds: 0, grown: 0 };
  let isOver = false;
  const track = async (): Promise<void> => {
    for (let at = 0; !isOver; at += BATCH) {
      const ids = Array.from({ length: BATCH }, (_, n) => `e${at + n}`);
      await api.trackBatch({
        body: { events: ids.map((eventId, n) => ({ userId: `u${n}`, event: "loaded", eventId })) },
      });
      load.acknowledged.push(...ids);
    }
  };
  const identify = async (): Promise<void> => {
    for (let n = 0; !isOver; n++) await api.identify({ body: { userId: `i${n % 200}`, traits: { n } } });
  };
  try {
    const writing = Promise.all([track(), identify(), churn(db, load, () => isOver)]);
    const made: { path: string; before: number; rounds: number }[] = [];
    try {
      await until(() => load.rounds > 1 && load.acknowledged.length > 0, "everything is written");
      while (made.length < BACKUPS || load.grown < GROWN_BYTES) {
        const before = load.acknowledged.length;
        const from = load.rounds;
        const text = await done(tidings(["backup", folder, "--json"], env));
        made.push({ path: (JSON.parse(text) as { path: string }).path, before, rounds: load.rounds - from });
      }
    } finally {
      isOver = true;
      await writing;
    }
    assert.ok(
      made.some(({ rounds: meanwhile }) => meanwhile > 0),
      "tables were rewritten while files were copied",
    );
    for (const { path, before } of made) await verify(path, load.acknowledged.slice(0, before));
  } finally {
    await db.end();
    await rm(folder, { recursive: true, force: true });
  }
});

/** Starts a backup, and looks for what it has to have. */
async function verify(path: string, acknowledged: readonly string[]): Promise<void> {
  const embedded = await startEmbedded(path, createLog("silent", logFile()), { settings: MODEST });
  assert.ok(embedded);
  try {
    const [counts] = await ask<{ counter: number; rows: number; most: number }>(
      path,
      `select (select n from load_counter) as counter, count(*)::int as rows, coalesce(max(n), 0) as most from load_rows`,
    );
    assert.ok(counts && counts.counter > 0);
    assert.deepEqual([counts.rows, counts.most], [counts.counter, counts.counter]);
    const events = await ask<{ n: number }>(
      path,
      "select substring(event_id from 2)::int as n from events where name = 'loaded' order by 1",
    );
    // Batches follow each other: what is there is all up to some event, once.
    assert.deepEqual(
      events.map(({ n }) => n),
      events.map((_, n) => n),
    );
    assert.ok(events.length >= acknowledged.length, `${events.length} of ${acknowledged.length}`);
    // Reads each page of each table and index, whose checksums have to be right.
    await ask(path, "vacuum (disable_page_skipping)");
    const doctor = await tidings(["doctor"], { DATA_DIR: path });
    assert.equal(doctor.code, 0, doctor.stdout);
  } finally {
    await embedded.stop();
  }
}
