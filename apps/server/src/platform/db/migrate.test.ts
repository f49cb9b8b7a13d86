import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import { createLog } from "../log.ts";
import { type Database, type DatabaseAddress, openDatabase } from "./db.ts";
import { compareMigrations, migrate, readMigrations, requireKnown, schemaFault } from "./migrate.ts";

type SocketAddress = Extract<DatabaseAddress, { host: string }>;

const address = JSON.parse(process.env.TIDINGS_TEST_DATABASE ?? "null") as SocketAddress | null;
const log = createLog("silent");
const made: { name: string; database: Database }[] = [];

async function asAdmin(statement: string): Promise<void> {
  assert.ok(address, "Tests run with npm test, which brings their database.");
  const admin = new pg.Client({ ...address, database: "postgres" });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}

/** An empty database of its own. */
async function emptyDatabase(): Promise<{ database: Database; open(): Database }> {
  const name = `migrate_${process.pid}_${made.length}`;
  await asAdmin(`create database ${name}`);
  assert.ok(address);
  const at = { ...address, database: name };
  const open = (): Database => {
    const database = openDatabase(at, log, { sizes: { pool: 5, hotPool: 1 } });
    made.push({ name, database });
    return database;
  };
  return { database: open(), open };
}

after(async () => {
  await Promise.all(made.map(({ database }) => database.close()));
  for (const name of new Set(made.map((each) => each.name)))
    await asAdmin(`drop database ${name} with (force)`);
});

const tableCount = async ({ pool }: Database): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*) from pg_tables where schemaname = 'public'",
  );
  return rows[0]?.count ?? 0;
};

describe("migrate", () => {
  it("applies every file in order, and does nothing the second time", async () => {
    const { database } = await emptyDatabase();
    const names = (await readMigrations()).map(({ name }) => name);
    assert.deepEqual(names, names.toSorted());
    assert.deepEqual((await compareMigrations(database.pool)).missing, names);
    assert.equal(await tableCount(database), 0);
    assert.deepEqual(await migrate(database.pool), names);
    assert.deepEqual((await compareMigrations(database.pool)).missing, []);
    const tables = await tableCount(database);
    assert.ok(tables > 10);
    assert.deepEqual(await migrate(database.pool), []);
    assert.equal(await tableCount(database), tables);
  });

  it("is done once however many do it at once, on one pool and on several", async () => {
    const { database, open } = await emptyDatabase();
    const other = open();
    const done = await Promise.all([
      migrate(database.pool),
      migrate(other.pool),
      migrate(database.pool),
      migrate(other.pool),
    ]);
    assert.deepEqual(
      done.flat().sort(),
      (await readMigrations()).map(({ name }) => name),
    );
    assert.deepEqual((await compareMigrations(database.pool)).missing, []);
  });

  it("needs no more than one connection of its pool beside its own", async () => {
    const { database } = await emptyDatabase();
    const { host, port, user } = new pg.Client({ ...address });
    const pool = new pg.Pool({ host, port, user: user ?? "", database: made.at(-1)?.name ?? "", max: 2 });
    await migrate(pool);
    await pool.end();
    assert.deepEqual((await compareMigrations(database.pool)).missing, []);
  });

  it("refuses a file that was changed after it was applied, and lets go of its lock", async () => {
    const { database } = await emptyDatabase();
    await migrate(database.pool);
    const [first] = await readMigrations();
    assert.ok(first);
    const setDigest = (digest: string) =>
      database.pool.query("update migrations set digest = $1 where name = $2", [digest, first.name]);
    await setDigest("of something else");
    const refused = new RegExp(`Migration ${first.name} was changed after it was applied`);
    await assert.rejects(migrate(database.pool), refused);
    await assert.rejects(migrate(database.pool), refused);
    assert.match(schemaFault(await compareMigrations(database.pool)) ?? "", refused);
    await setDigest(first.digest);
    assert.equal(schemaFault(await compareMigrations(database.pool)), null);
    assert.deepEqual(await migrate(database.pool), []);
  });

  it("refuses the database of a newer version", async () => {
    const { database } = await emptyDatabase();
    await migrate(database.pool);
    await database.pool.query("insert into migrations (name, digest) values ('9999_later.sql', 'of later')");
    const refused = /^ConfigError|^Error: The database is of a newer Tidings: .* 9999_later\.sql\.$/;
    await assert.rejects(migrate(database.pool), refused);
    const difference = await compareMigrations(database.pool);
    assert.throws(() => requireKnown(difference), refused);
    assert.deepEqual(difference, { missing: [], changed: [], unknown: ["9999_later.sql"] });
  });

  it("leaves nothing of a file that fails, and goes on from there", async () => {
    const { database } = await emptyDatabase();
    const migrations = await readMigrations();
    const [first, second] = migrations;
    assert.ok(first && second);
    const inTheWay = /create table (\w+)/.exec(second.sql)?.[1];
    await database.pool.query(`create sequence ${inTheWay}`);
    await assert.rejects(
      migrate(database.pool),
      new RegExp(`Migration ${second.name} failed: .*already exists`),
    );
    const left = migrations.slice(1).map(({ name }) => name);
    assert.deepEqual((await compareMigrations(database.pool)).missing, left);
    await database.pool.query(`drop sequence ${inTheWay}`);
    assert.deepEqual(await migrate(database.pool), left);
  });
});
