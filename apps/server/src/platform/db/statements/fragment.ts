import { type RawBuilder, sql } from "kysely";
import { type SqlText, sqlText } from "./sql-text.ts";

declare const columns: unique symbol;

/**
 * The name of a relation in a statement: its `input`, or a CTE. The type lists its columns, so that a fragment which reads a column that
 * the relation lacks does not compile.
 */
export type Relation<Column extends string> = SqlText & {
  readonly [columns]: { readonly [Name in Column]: unknown };
};

/**
 * CTEs for statements of other features: their text, without `with` and without a comma at either end, and the relations among them
 * that others may read.
 */
export type Fragment<Relations = unknown> = { readonly ctes: SqlText } & Relations;

/** Names a CTE with these columns. The text that declares the CTE and all texts that read it use this value, and never spell the name. */
export const relation = <Column extends string>(name: string): Relation<Column> =>
  // The columns exist in the type alone: at run time a relation is its name.
  sqlText(name) as Relation<Column>;

/** Names a CTE that has all columns of another relation. */
export const likeRelation = <Model extends Relation<never>>(name: string, _model: Model): Model =>
  // As above.
  sqlText(name) as Model;

/**
 * A condition on rows that the statement finds by their key. As plain SQL it might be the condition of a partial index as well. While the
 * planner believes that there are hardly any such rows, as after a campaign whose messages have all left, it reads that index as a whole, for
 * every statement. No index answers a `case`.
 */
export const rowFilter = (condition: string | SqlText): SqlText =>
  sqlText(`case when ${condition} then true end`);

/** Marks the place of the value in the text of a piece: a character that SQL never contains. */
const HOLE = "\0";

/**
 * A piece of SQL with one value in it, for a query of Kysely, which sends the value as a parameter. Hot statements use the same piece as
 * text, and give it the place of their value (`$3`, `i.now`).
 */
export const withValue = (
  piece: (value: string) => string | SqlText,
  value: number | string,
): RawBuilder<boolean> => sql.join(String(piece(HOLE)).split(HOLE).map(sqlText), sql`${value}`);
