import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate, readMigrations } from "../../src/platform/db/migrate.ts";
import { cleanUp, killWhen } from "../commands/spawned.ts";
import { testServer } from "../harness.ts";
import { differencesOf, oldDatabases } from "./old-database.ts";
import { campaignIds, MAIL_PROGRESS, OF_AN_OCCASION } from "./old-messages.ts";

const BEFORE = "0123_plain_names.sql";
const [COLUMN, KEYS] = ["0124_occasions.sql", "0125_keys_by_occasion.sql"] as const;
/** Push finds these by a key of its own; the primary keys of all others have the occasion. */
const WITHOUT_KEY = ["push_recipients", "push_slots"];
const INDEX = "email_hits_by_occasion";
const BUILDING = `create unique index concurrently ${INDEX} %`;

const { oldDatabase, served } = oldDatabases();
after(cleanUp);

/** Waits until a statement finds a row, and answers it. */
async function found<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(10)) {
    const { rows } = await pool.query<Row>(text, [...values]);
    if (rows[0] !== undefined) return rows[0];
  }
  assert.fail(`never found: ${text}`);
}

/** The connection that builds the index, once it waits for a transaction of another connection. */
const building = (pool: pg.Pool): Promise<{ pid: number }> =>
  found(
    pool,
    `select pid from pg_stat_progress_create_index p join pg_stat_activity a using (pid)
    where p.datname = current_database() and query like $1 and phase like 'waiting for%' and wait_event = 'virtualxid'`,
    [BUILDING],
  );

/** The names of invalid indexes. */
async function invalidIndexes(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "select relname as name from pg_index join pg_class on oid = indexrelid where not indisvalid",
  );
  return rows.map(({ name }) => name);
}

/** A transaction that a build of an index of the table has to wait for. */
async function transactionOn(pool: pg.Pool, table: string): Promise<pg.PoolClient> {
  const client = await pool.connect();
  await client.query(`begin; lock table ${table} in row exclusive mode`);
  return client;
}

async function ended(client: pg.PoolClient): Promise<void> {
  await client.query("commit");
  client.release();
}

/** The migrations beyond those before occasions. */
async function applied(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    "select name from migrations where name > $1 order by name",
    [BEFORE],
  );
  return rows.map(({ name }) => name);
}

const all = async (): Promise<string[]> =>
  (await readMigrations()).map(({ name }) => name).filter((name) => name > BEFORE);

/** The keys of the tables that got one with the occasion, as PostgreSQL spells them. */
async function keysOf(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; key: string }>(
    `select conrelid::regclass::text as name, pg_get_constraintdef(oid) as key from pg_constraint
    where contype = 'p' and conrelid = any ($1::regclass[])`,
    [OF_AN_OCCASION],
  );
  return Object.fromEntries(rows.map(({ name, key }) => [name, key]));
}

/** The number that PostgreSQL has for an index, which stays when it gets another name. */
async function indexOf(pool: pg.Pool, name: string): Promise<unknown> {
  const { rows } = await pool.query("select $1::regclass::oid as oid", [name]);
  return rows;
}

const anotherPool = ({ options: { database } }: pg.Pool): pg.Pool => {
  const pool = new pg.Pool({ ...testServer(), ...(database === undefined ? {} : { database }), max: 3 });
  pool.on("error", () => undefined);
  return pool;
};

/** Kills a process that migrates when something has come to pass, and answers that. */
async function killedWhen<T>({ options }: pg.Pool, isSo: () => Promise<T>): Promise<T> {
  const { host, user } = testServer();
  let came = false;
  const killed = killWhen(
    ["migrate"],
    {
      DATABASE_URL: `postgres://${user}@${encodeURIComponent(host)}/${options.database}`,
      SECRET_KEY: randomBytes(32).toString("base64"),
    },
    () => came,
  );
  const result = await isSo();
  came = true;
  const { code, stderr } = await killed;
  assert.equal(code, null, stderr);
  return result;
}

/** Columns that the tables got since, with the occasion or later. */
const SINCE: Readonly<Record<string, readonly string[]>> = { push_slots: ["postponed_by"] };

/** Every row of the tables, without what they got since. */
async function rowsOf(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of OF_AN_OCCASION) {
    const { rows } = await pool.query<{ row: unknown }>(
      `select to_jsonb(t) - $1::text[] as row from ${table} t order by (to_jsonb(t) - $1::text[])::text`,
      [["occasion", "decided_as", ...(SINCE[table] ?? [])]],
    );
    found[table] = rows.map(({ row }) => row);
  }
  return found;
}

/** Migrates to the end, and looks at what is there then: everything valid, and nothing that the doctor would find. */
async function finished(pool: pg.Pool): Promise<void> {
  await migrate(pool);
  assert.deepEqual(await applied(pool), await all());
  assert.deepEqual(await invalidIndexes(pool), []);
  for (const [table, key] of Object.entries(await keysOf(pool)))
    assert.equal(/campaign_id, occasion\b/.test(key), !WITHOUT_KEY.includes(table), `${table}: ${key}`);
  const { tidings } = await served(pool);
  try {
    assert.deepEqual(await differencesOf(tidings), []);
  } finally {
    await tidings.close();
  }
}

describe("the migration to occasions", () => {
  it("leaves every row as it was, as occasion 0, and answers the same of it", async () => {
    const pool = await oldDatabase(BEFORE);
    const before = await rowsOf(pool);
    for (const [table, rows] of Object.entries(before)) assert.ok(rows.length > 0, `${table} has rows`);
    await migrate(pool);
    assert.deepEqual(await rowsOf(pool), before);
    for (const table of OF_AN_OCCASION) {
      const { rowCount } = await pool.query(`select from ${table} where occasion <> 0`);
      assert.equal(rowCount, 0, table);
    }
    const { tidings, project } = await served(pool);
    try {
      const { api } = project;
      const { mail, push } = campaignIds;
      const progress = await api.getCampaignEmail({ path: { id: mail } });
      assert.deepEqual({ ...progress, ...MAIL_PROGRESS }, progress);
      const deliveries = await api.listCampaignDeliveries({ path: { id: mail } });
      assert.equal(deliveries.total, MAIL_PROGRESS.planned);
      const { stats } = (await api.getCampaign({ path: { id: mail } })).campaign;
      assert.deepEqual([stats.sent, stats.opened, stats.clicked, stats.frequencyCapped], [2, 1, 1, 1]);
      const pushed = (await api.getCampaign({ path: { id: push } })).campaign.stats;
      assert.deepEqual([pushed.sent, pushed.delivered, pushed.clicked, pushed.converted], [1, 1, 1, 1]);
      assert.deepEqual(await differencesOf(tidings), []);
    } finally {
      await tidings.close();
    }
  });

  it("is done once by several processes, while a transaction of another one holds a build up", async () => {
    const pool = await oldDatabase(COLUMN);
    const others = await transactionOn(pool, "email_hits");
    const elsewhere = [anotherPool(pool), anotherPool(pool)];
    const migrating = Promise.all([pool, ...elsewhere].map((each) => migrate(each)));
    await building(pool);
    assert.deepEqual(await applied(pool), [COLUMN], "the file waits as a whole");
    await pool.query("update deliveries set epoch = epoch");
    await ended(others);
    assert.deepEqual((await migrating).flat().sort(), (await all()).slice(1));
    for (const each of elsewhere) await each.end();
    await finished(pool);
  });

  it("goes on after a build whose connection was lost", async () => {
    const pool = await oldDatabase(COLUMN);
    const others = await transactionOn(pool, "email_hits");
    const migrating = assert.rejects(migrate(pool), new RegExp(`Migration ${KEYS} failed: .*terminat`));
    const { pid } = await building(pool);
    await pool.query("select pg_terminate_backend($1)", [pid]);
    await migrating;
    await ended(others);
    assert.deepEqual(await applied(pool), [COLUMN]);
    await finished(pool);
  });

  it("builds an index anew that was left behind incomplete", async () => {
    const pool = await oldDatabase(COLUMN);
    const others = await transactionOn(pool, "email_hits");
    const statement = (await readMigrations())
      .flatMap(({ indexes }) => indexes)
      .find(({ name }) => name === INDEX)?.statement;
    const build = assert.rejects(pool.query(statement ?? ""));
    const { pid } = await building(pool);
    await pool.query("select pg_cancel_backend($1)", [pid]);
    await build;
    await ended(others);
    assert.deepEqual(await invalidIndexes(pool), [INDEX]);
    await finished(pool);
  });

  it("takes over what PostgreSQL goes on to build for a process that was killed", async () => {
    const pool = await oldDatabase(COLUMN);
    const others = await transactionOn(pool, "email_hits");
    await killedWhen(pool, () => building(pool));
    const before = await indexOf(pool, INDEX);
    const migrating = migrate(pool);
    // It has seen the build by now, and looks again soon.
    await found(
      pool,
      "select from pg_stat_activity where datname = current_database() and state = 'idle' and query like '%coalesce(relid = to_regclass($1)%'",
    );
    await ended(others);
    await migrating;
    assert.deepEqual(await indexOf(pool, "email_hits_pkey"), before, "it is the one that was under way");
    await finished(pool);
  });

  it("exchanges the keys at the next start where a process was killed right before", async () => {
    const pool = await oldDatabase(COLUMN);
    const others = await transactionOn(pool, "email_hits");
    await killedWhen(pool, async () => {
      await building(pool);
      const locker = await transactionOn(pool, "migrations");
      await locker.query("lock table migrations in share mode");
      await ended(others);
      await found(
        pool,
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like 'insert into migrations%'`,
      );
      return locker;
    }).then(ended);
    assert.deepEqual(await applied(pool), [COLUMN]);
    assert.doesNotMatch((await keysOf(pool)).email_hits ?? "", /occasion/);
    const before = await indexOf(pool, INDEX);
    await migrate(pool);
    assert.deepEqual(await indexOf(pool, "email_hits_pkey"), before, "no index is built twice");
    await finished(pool);
  });

  it("takes longer than a statement may in this database, or wait for a lock", async () => {
    const pool = await oldDatabase(COLUMN);
    const { database } = pool.options;
    for (const name of ["statement_timeout", "lock_timeout"])
      await pool.query(`alter database ${database} set ${name} = '1s'`);
    const others = await transactionOn(pool, "email_hits");
    const impatient = anotherPool(pool);
    const migrating = migrate(impatient);
    const { pid } = await building(pool);
    await found(
      pool,
      "select from pg_stat_activity where pid = $1 and clock_timestamp() - query_start > interval '1500 ms'",
      [pid],
    );
    await ended(others);
    assert.deepEqual(await migrating, (await all()).slice(1));
    const { rows } = await impatient.query("show statement_timeout");
    assert.deepEqual(rows, [{ statement_timeout: "1s" }], "no connection of the pool keeps what was lifted");
    await impatient.end();
    await pool.query(`alter database ${database} reset all`);
    await finished(pool);
  });

  it("says what two rows of one key stand in the way of, and goes on when they are gone", async () => {
    const pool = await oldDatabase(BEFORE);
    await pool.query("alter table email_hits drop constraint email_hits_pkey");
    await pool.query("insert into email_hits select * from email_hits limit 1");
    const refused = new RegExp(`Migration ${KEYS} failed: could not create unique index "${INDEX}"`);
    await assert.rejects(migrate(pool), refused);
    await assert.rejects(migrate(pool), refused);
    assert.deepEqual(await applied(pool), [COLUMN]);
    assert.deepEqual(await invalidIndexes(pool), []);
    await pool.query(
      "delete from email_hits where ctid in (select max(ctid) from email_hits group by user_key, ordinal having count(*) > 1)",
    );
    await pool.query(
      "alter table email_hits add constraint email_hits_pkey primary key (lane, user_key, campaign_id, ordinal)",
    );
    await finished(pool);
  });
});
