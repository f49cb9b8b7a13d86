import type pg from "pg";
import { snakeCase } from "../../text/snake-case.ts";
import { type Relation, relation } from "./fragment.ts";

type ColumnType = "int2" | "int4" | "int8" | "uuid" | "bool" | "text" | "jsonb";
type ColumnValue = string | number | boolean | null;
type ValueType = ColumnType | "bytea" | "uuid[]" | "int4[]" | "int8[]" | "text[]";

/** Columns of the input rows, in order: the row's key -> its PostgreSQL type. */
type Columns<Row> = { readonly [Key in keyof Row]: ColumnType };

type SnakeCase<Key extends string> = Key extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

/** The rows of a statement, as a relation that can be passed to fragments. */
export type Input<Row> = Relation<SnakeCase<keyof Row & string> | "ord">;

const SPECIAL = /["\\]/;
const SPECIAL_ALL = /["\\]/g;

const quoted = (value: string): string =>
  `"${SPECIAL.test(value) ? value.replace(SPECIAL_ALL, "\\$&") : value}"`;

/** One column of many rows as a PostgreSQL array literal. Numbers, ids and booleans need no quotes. */
function arrayLiteral(rows: readonly Record<string, ColumnValue>[], key: string, type: ColumnType): string {
  const isText = type === "text" || type === "jsonb";
  let literal = "{";
  for (let i = 0; i < rows.length; i++) {
    const value = rows[i]?.[key] ?? null;
    if (i > 0) literal += ",";
    literal += value === null ? "NULL" : isText ? quoted(String(value)) : value;
  }
  return `${literal}}`;
}

/**
 * Which rows a statement can read or write, and so where it can run once lanes lie on several machines.
 *
 * - `key`: rows of the keys that it is given (of a user, an address, a token …), each in one lane
 * - `keys`: rows of keys of more than one kind, as of a user and of a mail address, whose lanes differ
 * - `lane`: any rows of the lanes that it is given
 * - `all lanes`: rows that may lie in any lane
 * - `config`: only what people write and rollups, which are on every machine
 * - `local`: only, or besides these, tables of which there is one
 */
export type Reach = "key" | "keys" | "lane" | "all lanes" | "config" | "local";

/** The name of a prepared statement, which no other one has, and its reach. */
type Declaration = { name: string; reach: Reach };

/** A prepared statement as it was declared. */
export type DeclaredStatement = { text: string; reach: Reach };

/** Prepared statements of this process, by name. */
const declared = new Map<string, DeclaredStatement>();

/** The prepared statements of the features that this process has loaded, by name. */
export const declaredStatements = (): ReadonlyMap<string, DeclaredStatement> => declared;

/**
 * A connection refuses a name that it has prepared for another text. That would fail only where both statements happen to meet on one
 * connection, so it fails here, when the process starts.
 */
function declare(name: string, text: string, reach: Reach): void {
  const known = declared.get(name);
  if (known !== undefined && known.text !== text)
    throw new Error(`Two prepared statements are called ${name}.`);
  declared.set(name, { text, reach });
}

/** Runs the statement on many rows at once, and answers the rows that it selects. */
export type RowsStatement<Row, Result> = (
  client: pg.Pool | pg.PoolClient,
  rows: readonly Row[],
) => Promise<Result[]>;

/**
 * A prepared statement over many rows. They are sent column by column, and the statement reads them as the relation `input`, with their
 * position (from 1) in `ord`. `text` follows `with input as (…)`: further CTEs and the final select. A text that passes the rows to
 * fragments is a function of `input`.
 * The arrays are written by hand: the driver's way takes two regular expressions per value.
 * @param shared columns that are equal in all rows of a group: their value is sent once
 */
export function rowsStatement<Row extends Record<keyof Row, ColumnValue>, Result extends pg.QueryResultRow>(
  { name, reach }: Declaration,
  columns: Columns<Row>,
  text: string | ((input: Input<Row>) => string),
  shared: readonly (keyof Row & string)[] = [],
): RowsStatement<Row, Result> {
  const entries = (Object.entries(columns) as [keyof Row & string, ColumnType][]).filter(
    ([key]) => !shared.includes(key),
  );
  const arrays = entries.map(([, type], index) => `$${index + 1}::${type}[]`).join(", ");
  const names = [...entries.map(([key]) => snakeCase(key)), "ord"].join(", ");
  const once = shared.map(
    (key, index) => `$${entries.length + index + 1}::${columns[key]} as ${snakeCase(key)}`,
  );
  const input: Input<Row> = relation("input");
  const rest = typeof text === "string" ? text : text(input);
  const query = `with ${input} as (select ${["*", ...once].join(", ")} from unnest(${arrays}) with ordinality as i (${names}))${rest}`;
  declare(name, query, reach);
  return async (client, rows) => {
    const values = [
      ...entries.map(([key, type]) => arrayLiteral(rows, key, type)),
      ...shared.map((key) => rows[0]?.[key]),
    ];
    return (await client.query<Result>({ name, text: query, values })).rows;
  };
}

/**
 * A prepared statement over one row, whose values are its parameters and not a relation: for what ends early (`limit`), or locks or
 * changes a single row. `text` is a function of the parameters by name, each with its type.
 */
export function valuesStatement<Values extends object, Result extends pg.QueryResultRow>(
  { name, reach }: Declaration,
  types: { readonly [Key in keyof Values]: ValueType },
  text: (parameters: { readonly [Key in keyof Values]: string }) => string,
): (client: pg.Pool | pg.PoolClient, values: Values) => Promise<Result[]> {
  const keys = Object.keys(types) as (keyof Values & string)[];
  const parameters = Object.fromEntries(keys.map((key, index) => [key, `$${index + 1}::${types[key]}`]));
  // One entry for each key of `types`, which are those of the values.
  const query = text(parameters as { readonly [Key in keyof Values]: string });
  declare(name, query, reach);
  return async (client, values) =>
    (await client.query<Result>({ name, text: query, values: keys.map((key) => values[key]) })).rows;
}
