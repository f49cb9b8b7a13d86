import { type RawBuilder, sql } from "kysely";

/** Stands for the value while the text of a piece is made: a character that no SQL has. */
const HOLE = "\0";

/**
 * A piece of SQL around one value, for a query of Kysely. Hot statements write the same piece as text and say where the value
 * stands in it (`$3`, `i.now`); here the value itself is given, and is sent as a parameter.
 */
export const withValue = (piece: (value: string) => string, value: number | string): RawBuilder<boolean> =>
  sql.join(
    piece(HOLE)
      .split(HOLE)
      .map((text) => sql.raw(text)),
    sql`${value}`,
  );
