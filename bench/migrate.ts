/**
 * `node bench/migrate.ts [--messages 1000000] [--only embedded,own]`: how long the migration to occasions takes over so many deliveries
 * and sends, each with an attempt and an outcome, and how long a write of one row of `deliveries` waits for it at most. On the
 * embedded database, and on a PostgreSQL with the settings that it has by itself, which the command reaches by `DATABASE_URL`. Then once
 * more with a SIGKILL in the middle of the second large index: of the command, and of the embedded database with it.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { startEmbedded } from "../apps/server/src/platform/db/embedded/embedded.ts";
import { embeddedAddress } from "../apps/server/src/platform/db/embedded/place.ts";
import { readMigrations } from "../apps/server/src/platform/db/migrate.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { killHard, postgresOf } from "../apps/server/test/crash/processes.ts";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "1000000" },
    only: { type: "string", default: "embedded,own" },
  },
});
const MESSAGES = Number(values.messages);
const TIDINGS = new URL("../apps/server/bin/tidings.mjs", import.meta.url).pathname;
const BEFORE = "0123_plain_names.sql";
const [COLUMNS, KEYS] = ["0124_occasions.sql", "0125_keys_by_occasion.sql"] as const;
/** The settings that PostgreSQL has by itself. */
const BY_ITSELF = { shared_buffers: "128MB", max_wal_size: "1GB", checkpoint_timeout: "5min", jit: "on" };
const QUIET_MS = 5_000;
const log = createLog("fatal");

type Kind = "embedded" | "own";
type Migrated = { columns: number; keys: number; slowest: number; writes: number };

const clientOf = async (dataDir: string): Promise<pg.Client> => {
  const address = embeddedAddress(dataDir);
  if (!("host" in address)) throw new Error("It has no socket.");
  const client = new pg.Client(address);
  client.on("error", () => undefined);
  await client.connect();
  return client;
};

/** Messages of one campaign, as they lay before occasions: nothing else of their project is there. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(
    "create table migrations (name text primary key, digest text not null, applied_at timestamptz not null default now())",
  );
  for (const { name, indexes, sql, digest } of await readMigrations()) {
    if (name > BEFORE) break;
    for (const { statement } of indexes) await client.query(statement);
    await client.query(sql);
    await client.query("insert into migrations (name, digest) values ($1, $2)", [name, digest]);
  }
  const [campaignId, projectId] = [crypto.randomUUID(), crypto.randomUUID()];
  await client.query(`create temp table messages as
    select get_byte(uuid_send(key), 0) >> 2 as lane, key as user_key, '${campaignId}'::uuid as campaign_id,
      '${projectId}'::uuid as project_id
    from (select gen_random_uuid() as key from generate_series(1, ${MESSAGES})) keys`);
  await client.query(`
    insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at, sent_at)
    select lane, user_key, campaign_id, project_id, campaign_id, 'sent', 1, 2 from messages;
    insert into email_sends (lane, user_key, campaign_id, project_id, status, due_at, begun, attempts)
    select lane, user_key, campaign_id, project_id, 'accepted', 1, true, 1 from messages;
    insert into email_attempts select lane, user_key, campaign_id, 1, project_id, gen_random_uuid(), 1 from messages;
    insert into email_outcomes
    select lane, user_key, campaign_id, 1, project_id, 'accepted', 2, 250, 'OK: queued as 4F1A2B3C4D' from messages`);
  await client.query("vacuum analyze");
  await client.query("checkpoint");
}

/** A folder with a database that is filled; every run has a copy of it. */
async function filledFolder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "tidings-bench-"));
  const embedded = await startEmbedded(dataDir, log);
  if (embedded === null) throw new Error("The folder is in use.");
  const client = await clientOf(dataDir);
  await fill(client);
  await client.end();
  await embedded.stop();
  return dataDir;
}

/** Inserts and updates a row in turn until it is stopped; answers how many, and the longest that one took (ms). */
function writing(client: pg.Client): { stop(): Promise<{ writes: number; slowest: number }> } {
  let isOver = false;
  const work = (async () => {
    let [writes, slowest] = [0, 0];
    const one = async (text: string, parameters: unknown[]): Promise<void> => {
      const began = performance.now();
      await client.query(text, parameters);
      writes += 1;
      slowest = Math.max(slowest, performance.now() - began);
    };
    while (!isOver) {
      const key = [0, crypto.randomUUID(), crypto.randomUUID()];
      await one(
        `insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at) values ($1, $2, $3, $3, $3, 'queued', 1)`,
        key,
      );
      await one(
        "update deliveries set state = 'sent', sent_at = 2 where lane = $1 and user_key = $2 and campaign_id = $3",
        key,
      );
      await sleep(2);
    }
    return { writes, slowest };
  })();
  return {
    stop() {
      isOver = true;
      return work;
    },
  };
}

function command(kind: Kind, dataDir: string): ChildProcess {
  const { host } = embeddedAddress(dataDir) as { host: string };
  const place =
    kind === "embedded"
      ? { DATA_DIR: dataDir }
      : {
          DATABASE_URL: `postgres://tidings@${encodeURIComponent(host)}/tidings`,
          SECRET_KEY: randomBytes(32).toString("base64"),
        };
  return spawn(process.execPath, [TIDINGS, "migrate"], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: "fatal", ...place },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** Tries again until something is there: a database that starts, or a row that comes. */
async function until<T>(look: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const there = await look().catch(() => null);
    if (there !== null && there !== undefined) return there;
    await sleep(10);
  }
}

/** When a migration began, by the clock of PostgreSQL (ms); null while it is not applied. */
async function beganAt(client: pg.Client, name: string): Promise<number | null> {
  const { rows } = await client.query<{ at: number }>(
    "select extract(epoch from applied_at)::float8 * 1000 as at from migrations where name = $1",
    [name],
  );
  return rows[0]?.at ?? null;
}

/** Kills the command, and the embedded database with it, while the index of the sends is being built. */
async function killInTheMiddle(kind: Kind, dataDir: string): Promise<void> {
  const child = command(kind, dataDir);
  const client = await until(() => clientOf(dataDir));
  await until(async () => {
    const { rows } = await client.query(
      "select from pg_stat_progress_create_index where relid = 'email_sends'::regclass and phase like 'building index%'",
    );
    return rows[0];
  });
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  if (kind === "embedded") for (const pid of postgresOf(dataDir)) killHard(pid);
  await ended;
  await client.end().catch(() => undefined);
}

/** Runs the command beside writers, up to the end of the two files. */
async function migrated(kind: Kind, dataDir: string): Promise<Migrated> {
  const began = Date.now();
  const child = command(kind, dataDir);
  const ended = once(child, "exit");
  const [client, writer] = [await until(() => clientOf(dataDir)), await clientOf(dataDir)];
  const writers = writing(writer);
  const keysAt = await until(() => beganAt(client, KEYS));
  const end = Date.now();
  const { writes, slowest } = await writers.stop();
  const columnsAt = (await beganAt(client, COLUMNS)) ?? began;
  await Promise.all([client.end(), writer.end()]);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`It ended with ${code}.`);
  return { columns: Math.max(0, keysAt - columnsAt), keys: end - keysAt, slowest, writes };
}

async function run(kind: Kind, filled: string, isKilled: boolean): Promise<void> {
  const dataDir = `${filled}-${kind}-${isKilled ? "killed" : "whole"}`;
  await promisify(execFile)("cp", ["-a", filled, dataDir]);
  const own = kind === "own" ? await startEmbedded(dataDir, log, { settings: BY_ITSELF }) : null;
  try {
    if (kind === "own" && !isKilled) {
      const client = await clientOf(dataDir);
      const writers = writing(client);
      await sleep(QUIET_MS);
      const { writes, slowest } = await writers.stop();
      console.log(`own, no migration: ${writes} writes in 5 s, the slowest ${slowest.toFixed(0)} ms`);
      await client.end();
    }
    if (isKilled) await killInTheMiddle(kind, dataDir);
    const { columns, keys, slowest, writes } = await migrated(kind, dataDir);
    const first = isKilled ? "" : `${COLUMNS} ${(columns / 1_000).toFixed(2)} s, `;
    console.log(
      `${kind}${isKilled ? ", after a kill" : ""}: ${first}${KEYS} ${(keys / 1_000).toFixed(1)} s; ${writes} writes meanwhile, the slowest ${slowest.toFixed(0)} ms`,
    );
  } finally {
    await own?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const filled = await filledFolder();
try {
  for (const kind of values.only.split(",") as Kind[])
    for (const isKilled of [false, true]) await run(kind, filled, isKilled);
} finally {
  await rm(filled, { recursive: true, force: true });
}
