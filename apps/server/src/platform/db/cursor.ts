import { type RawBuilder, sql } from "kysely";
import type { Db } from "./db.ts";

async function* fetchPages<Row>(db: Db, size: number): AsyncGenerator<Row[]> {
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(size)} from pages`.execute(db);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close pages`.execute(db);
}

/**
 * Plans a statement, and answers its rows, so many at a time. It is run once for all of them. One at a time in a transaction may be under
 * way, and is to be read to its end.
 */
export async function openPages<Row>(
  db: Db,
  query: RawBuilder<Row>,
  size: number,
): Promise<AsyncGenerator<Row[]>> {
  // Without this it would be planned to answer the first tenth soon.
  await sql`set local cursor_tuple_fraction = 1`.execute(db);
  await sql`declare pages no scroll cursor for ${query}`.execute(db);
  return fetchPages<Row>(db, size);
}
