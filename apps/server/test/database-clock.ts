import assert from "node:assert/strict";
import pg from "pg";
import { type TestHouse, THE_TEST, testServer } from "./harness.ts";

/** The clock of a house's database, which a test moves together with that of the house. */
export type DatabaseClock = {
  /** Moves both clocks on by some milliseconds. */
  advance(ms: number): Promise<void>;
  /** What the database says it is (epoch ms). */
  now(): Promise<number>;
};

/**
 * The functions that stand before those of PostgreSQL in the path of the database. What the clock was set to is kept with when, so that a
 * transaction is seen to have begun when it did by the clock of then.
 */
const FUNCTIONS = `
  create schema movable;
  create table movable.set_clocks (real_at timestamptz not null, ahead interval not null);
  create function movable.ahead_at(at timestamptz) returns interval language sql stable
    return (select s.ahead from movable.set_clocks s where s.real_at <= at order by s.real_at desc limit 1);
  create function movable.clock_timestamp() returns timestamptz language sql volatile
    return pg_catalog.clock_timestamp() + (select s.ahead from movable.set_clocks s order by s.real_at desc limit 1);
  do $$ begin
    execute 'create view movable.pg_stat_activity as select ' || (
      select string_agg(case attname when 'xact_start' then 'a.xact_start + movable.ahead_at(a.xact_start) as xact_start'
        else 'a.' || quote_ident(attname) end, ', ' order by attnum)
      from pg_attribute where attrelid = 'pg_catalog.pg_stat_activity'::regclass and attnum > 0
    ) || ' from pg_catalog.pg_stat_activity a';
  end $$;
  alter table public.events alter column recorded_at
    set default (date_part('epoch', movable.clock_timestamp()) * 1000)::int8;`;

const SET = `insert into movable.set_clocks
  select pg_catalog.clock_timestamp(), to_timestamp($1::float8 / 1000) - pg_catalog.clock_timestamp()`;

/** Ends all connections that others have to the database, whose path is the former one, and waits until the pools know it. */
async function reconnect(client: pg.Client, { database }: TestHouse): Promise<void> {
  const others =
    "from pg_catalog.pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  const pools = [
    database.pool,
    database.hotPool,
    database.lookups.pool,
    database.background.pool,
    database.people,
  ];
  await client.query(`select pg_terminate_backend(pid) ${others}`);
  for (let tries = 0; ; tries++) {
    const { rowCount } = await client.query(`select ${others}`);
    if (rowCount === 0 && pools.every(({ totalCount }) => totalCount === 0)) return;
    assert.ok(tries < 5_000, "the connections end");
  }
}

/** Has the database of a house go by a clock that a test moves. It shows the instant of the house at first. To be called before anything else. */
export async function movableDatabaseClock(house: TestHouse): Promise<DatabaseClock> {
  const { rows } = await house.database.pool.query<{ name: string }>("select current_database() as name");
  const client = new pg.Client({ ...testServer(), database: rows[0]?.name ?? "" });
  await client.connect();
  await client.query(FUNCTIONS);
  await client.query(SET, [house.now()]);
  await client.query(
    `do $$ begin execute format('alter database %I set search_path = movable, public, pg_catalog', current_database()); end $$`,
  );
  // The test counts as a process that works, whatever the clock.
  await client.query("update public.processes set seen_at = 'infinity' where lease_owner = $1", [THE_TEST]);
  await reconnect(client, house);
  await client.end();
  const { pool } = house.database;
  return {
    async advance(ms) {
      house.advance(ms);
      await pool.query(
        `insert into movable.set_clocks
        select pg_catalog.clock_timestamp(), ahead + $1 * interval '1 millisecond'
        from movable.set_clocks order by real_at desc limit 1`,
        [ms],
      );
    },
    async now() {
      const { rows: found } = await pool.query<{ now: number }>(
        "select (extract(epoch from clock_timestamp()) * 1000)::int8 as now",
      );
      return found[0]?.now ?? 0;
    },
  };
}
