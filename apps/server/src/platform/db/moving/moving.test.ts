import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { until } from "../../../../test/commands/spawned.ts";
import { assertEmpty, contentOf, filledIn, withClient } from "../../../../test/moving.ts";
import { observingStage } from "../../../../test/observing.ts";
import { ownDatabases } from "../../../../test/own-database.ts";
import { startSmtp } from "../../../../test/peers/smtp.ts";
import { livedProject } from "../../../../test/portable.ts";
import { examineIn } from "../../../features/system/public.ts";
import { tables } from "../../../features.ts";
import type { Db } from "../db.ts";
import { migrate } from "../migrate.ts";
import { type MovedBetween, type MovingRows, moveRows } from "./move-rows.ts";

const stage = await observingStage();
const ownDatabase = ownDatabases();

/** Every kind of column that a table may have, in another order on each side. */
const ODD = {
  source: `create table odd (id bigint generated always as identity primary key, gone int, t text, j jsonb, b bytea,
    i timestamptz, n numeric, f float8, a text[], u uuid, up text generated always as (upper(t)) stored,
    parent bigint references odd); alter table odd drop column gone`,
  target: `create table odd (parent bigint references odd, u uuid, a text[], f float8, n numeric, i timestamptz,
    up text generated always as (upper(t)) stored, b bytea, j jsonb, t text, id bigint generated always as identity primary key)`,
};

const ODD_ROWS: readonly (readonly unknown[])[] = [
  [null, null, null, null, null, null, null, null],
  ["", {}, Buffer.alloc(0), "infinity", "NaN", Number.NaN, [], "00000000-0000-0000-0000-000000000000"],
  [
    "\\N \\. \t\n\r\u0001\u007f\u{1f469}\u200d\u{1f680} e\u0301 \ufeff",
    { "as text: \\u0000": ["\\", '"', 1e300, null] },
    Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
    "-infinity",
    "-12345678901234567890.0123456789",
    -0,
    ["NULL", null, "{}", ""],
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ],
  [
    "ä".repeat(3_000_000),
    { long: "x".repeat(5_000_000) },
    Buffer.alloc(4_000_000, 7),
    "2026-02-28T00:00:00Z",
    "1",
    1e-300,
    Array.from({ length: 1_000 }, String),
    null,
  ],
];

async function fillOdd(client: pg.Client): Promise<void> {
  const insert = "insert into odd (t, j, b, i, n, f, a, u) values ($1, $2, $3, $4, $5, $6, $7, $8)";
  await client.query("select nextval(pg_get_serial_sequence('odd', 'id'))");
  for (const row of ODD_ROWS) await client.query(insert, [...row]);
  const texts = fc
    .sample(fc.string({ unit: "binary", maxLength: 40 }), 500)
    .map((text) => text.replaceAll("\0", ""));
  for (const text of texts) {
    // Half of a pair is no text that PostgreSQL takes.
    if (!text.isWellFormed()) continue;
    await client.query("insert into odd (t, j, b) values ($1, $2, $3)", [
      text,
      { [text]: text },
      Buffer.from(text),
    ]);
  }
  // Rows that name later ones, and numbers that no row has.
  await client.query("update odd set parent = id + 1 where id < (select max(id) from odd)");
  await client.query("select nextval(pg_get_serial_sequence('odd', 'id'))");
}

describe("moving rows", () => {
  let source: pg.Client;
  let url: string;
  let how: MovingRows;
  const lines: string[] = [];
  before(async () => {
    const smtp = await startSmtp();
    await livedProject(stage, smtp);
    await smtp.close();
    const { app } = stage.house.tidings;
    source = app.database.connectAlone("moving");
    await source.connect();
    await source.query(ODD.source);
    await fillOdd(source);
    how = {
      declared: new Set(tables.map(({ name }) => name)),
      report: (line) => lines.push(line),
      examine: (tx: Db) => examineIn(app, tx),
    };
  });
  after(() => source.end());

  const target = async (): Promise<string> => {
    url = (await ownDatabase()).DATABASE_URL;
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    await migrate(pool);
    await pool.query(ODD.target);
    await pool.end();
    return url;
  };

  /** Moves to a new database, does something before the transaction ends, and answers the address. */
  async function moved(last: (between: MovedBetween) => Promise<unknown>): Promise<string> {
    const to = await target();
    await withClient({ connectionString: to }, async (client) => {
      const between = { source, target: client };
      await moveRows(between, how).finally(() => source.query("rollback"));
      await last(between);
    });
    return to;
  }

  it("brings every row of every table as it is, and numbers go on", async () => {
    const before = await contentOf(source);
    const lacking = tables.filter(({ name }) => name !== "migrations" && !(name in before));
    assert.deepEqual(lacking, []);
    // What is left is what only a server at work has, for seconds.
    assert.ok(filledIn(before).length > 90, `${filledIn(before).length} tables have rows`);
    const to = await moved(({ target: client }) => client.query("commit"));
    await withClient({ connectionString: to }, async (client) => {
      assert.deepEqual(await contentOf(client), before);
      const next = "select max(id) as max, nextval(pg_get_serial_sequence('odd', 'id')) as next from odd";
      const [here, there] = [await source.query(next), await client.query(next)];
      assert.deepEqual(there.rows, here.rows);
      const { rows } = await client.query("select t, up from odd where t like 'ä%'");
      assert.equal(rows[0]?.up, rows[0]?.t.toUpperCase());
    });
    assert.match(lines.join("\n"), /Copied [\d,]+ rows of \d+ tables/);
  });

  it("leaves nothing where it is rolled back, numbers included", async () => {
    const to = await moved(({ target: client }) => client.query("rollback"));
    await withClient({ connectionString: to }, async (client) => {
      await assertEmpty(client);
      const { rows } = await client.query("select nextval(pg_get_serial_sequence('odd', 'id'))::int as next");
      assert.deepEqual(rows, [{ next: 1 }]);
    });
  });

  it("is refused where a table of the other database has a row", async () => {
    const to = await target();
    await withClient({ connectionString: to }, async (client) => {
      await client.query("insert into secret_key_canary (sealed) values ('x')");
      await assert.rejects(
        moveRows({ source, target: client }, how),
        /has rows already \(secret_key_canary\)/,
      );
      await source.query("rollback");
    });
  });

  it("is refused where a table is another one there", async () => {
    const to = await target();
    await withClient({ connectionString: to }, async (client) => {
      await client.query("alter table users add column theirs int");
      await assert.rejects(moveRows({ source, target: client }, how), /The table users is not the same/);
      await source.query("rollback");
    });
  });

  it("is refused where the doctor finds there what it does not find here", async () => {
    const to = await target();
    await withClient({ connectionString: to }, async (client) => {
      await client.query(
        `create function spoil() returns trigger language plpgsql as 'begin new.occurrences := new.occurrences + 1; return new; end'`,
      );
      await client.query(
        "create trigger spoil before insert on event_names for each row execute function spoil()",
      );
      await assert.rejects(
        moveRows({ source, target: client }, how),
        /The doctor finds there what it does not find here: event names: users and occurrences/,
      );
      await source.query("rollback");
      await client.query("rollback");
      await assertEmpty(client);
    });
  });

  it("fails at once where the connection is lost amid the rows, on either side", async () => {
    for (const side of ["target", "source"] as const) {
      const to = await target();
      await withClient({ connectionString: to }, async (admin) => {
        const own = stage.house.tidings.app.database.connectAlone("moving");
        const theirs = new pg.Client({ connectionString: to });
        for (const client of [own, theirs]) client.on("error", () => undefined);
        await Promise.all([own.connect(), theirs.connect()]);
        await admin.query(
          `create function wait() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(42); return new; end'`,
        );
        await admin.query("create trigger wait before insert on users for each row execute function wait()");
        await admin.query("select pg_advisory_lock(42)");
        const moving = moveRows({ source: own, target: theirs }, how);
        const failed = assert.rejects(moving, /terminat|administrator|not queryable/);
        const waiting = "select pid from pg_locks where locktype = 'advisory' and not granted";
        await until(async () => (await admin.query(waiting)).rowCount === 1, "the rows wait");
        const ended = (side === "target" ? theirs : own) as pg.Client & { processID: number };
        await source.query("select pg_terminate_backend($1)", [ended.processID]);
        if (side === "source") await admin.query("select pg_advisory_unlock(42)");
        await failed;
        await Promise.all([own.end(), theirs.end()].map((end) => end.catch(() => undefined)));
        await admin.query("select pg_advisory_unlock_all()");
        await assertEmpty(admin);
      });
    }
  });
});
