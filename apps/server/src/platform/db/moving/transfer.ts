import { pipeline } from "node:stream/promises";
import pg from "pg";
import copy from "pg-copy-streams";
import { type CatalogTable, type Numbered, quoted, quotedAll } from "./catalog.ts";

/** The settings that would end a transaction that takes long. */
const ENDS = [
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "transaction_timeout",
];

/**
 * Lifts every limit of time of the transaction that is open, whatever role and database have as theirs; of an older PostgreSQL those that
 * it has. A commit that was answered outlives a power cut, whatever they say.
 */
async function takeAllTheTime(client: pg.Client): Promise<void> {
  await client.query("select set_config(name, '0', true) from pg_settings where name = any ($1)", [ENDS]);
  await client.query(
    "select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'",
  );
}

/** Begins a transaction that writes, also where role or database say that transactions do not unless they say so. */
export async function beginWriting(client: pg.Client): Promise<void> {
  await client.query("begin isolation level read committed read write");
  await takeAllTheTime(client);
}

/** Begins a transaction that sees one instant of the database, and changes nothing. */
export async function beginReading(client: pg.Client): Promise<void> {
  await client.query("begin isolation level repeatable read read only");
  await takeAllTheTime(client);
}

/** For how long the tables are waited for: a transaction of another program may have them. */
const LOCK_WAIT = "10s";

/** Keeps others from writing to tables until the transaction ends. They may read meanwhile. */
export async function lockTables(client: pg.Client, names: readonly string[]): Promise<void> {
  await client.query(`set local lock_timeout = '${LOCK_WAIT}'`);
  await client.query(`lock table ${quotedAll(names)} in share row exclusive mode`);
  await client.query("set local lock_timeout = 0");
}

/** How many rows and bytes of a table went over. */
export type CopiedTable = { rows: number; bytes: number };

/**
 * Streams the rows of a table from one database into another, in PostgreSQL's binary form: each side waits for the other, so that memory
 * does not grow.
 * @throws where both do not report the same number of rows
 */
export async function copyTable(
  source: pg.Client,
  target: pg.Client,
  { name, columns }: CatalogTable,
): Promise<CopiedTable> {
  const place = `${quoted(name)} (${columns.map(pg.escapeIdentifier).join(", ")})`;
  const from = source.query(copy.to(`copy ${place} to stdout (format binary)`));
  const into = target.query(copy.from(`copy ${place} from stdin (format binary)`));
  let bytes = 0;
  await pipeline(
    from,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        yield chunk;
      }
    },
    into,
  );
  // The number of rows follows the last of them: an answer to a next statement comes after it.
  await source.query("select");
  if (from.rowCount !== into.rowCount)
    throw new Error(`Of ${name} ${from.rowCount} rows left, and ${into.rowCount} arrived.`);
  return { rows: into.rowCount, bytes };
}

/** Makes columns go on with a number. Unlike `setval` this is part of the transaction, and undone with it. */
export async function numberFrom(client: pg.Client, numbered: readonly Numbered[]): Promise<void> {
  for (const { table, column, next } of numbered) {
    const { rows } = await client.query<{ sequence: string | null }>(
      "select pg_get_serial_sequence($1, $2) as sequence",
      [quoted(table), column],
    );
    const sequence = rows[0]?.sequence ?? null;
    if (sequence === null) throw new Error(`The column ${column} of ${table} is not numbered there.`);
    await client.query(`alter sequence ${sequence} restart with ${BigInt(next)}`);
  }
}

/** Gives the planner the statistics of tables that were filled: a server starts on them at once. */
export async function analyzeTables(client: pg.Client, names: readonly string[]): Promise<void> {
  await client.query(`analyze ${quotedAll(names)}`);
}
