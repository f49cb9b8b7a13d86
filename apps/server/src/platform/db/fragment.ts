import { type RawBuilder, sql } from "kysely";

declare const columns: unique symbol;

/**
 * The name of a relation in a statement: its `input`, or a CTE. The type says which columns a reader may count on: a fragment
 * refuses, when it is compiled, a relation that lacks a column it reads.
 */
export type Relation<Column extends string> = string & {
  readonly [columns]: { readonly [Name in Column]: unknown };
};

/**
 * CTEs that a statement of another feature takes in: their text without `with` and without a comma around it, and by name the
 * relations among them that others may read.
 */
export type Fragment<Relations = unknown> = { readonly ctes: string } & Relations;

/** Names a CTE that has these columns. The text that declares the CTE, and whoever reads it, write this value and no name of their own. */
export const relation = <Column extends string>(name: string): Relation<Column> =>
  // A type alone: at run time a relation is its name.
  name as Relation<Column>;

/** Names a CTE that has all columns of another relation. */
export const likeRelation = <Model extends Relation<never>>(name: string, _model: Model): Model =>
  // As above.
  name as Model;

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
