import { readFileSync } from "node:fs";

/** A column. `isNumbered`: the database numbers its rows by itself. */
export type Column = { table: string; column: string; type: string; isNumbered: boolean };

/** A foreign key, from one table to another. */
export type ForeignKey = { from: string; to: string };

/** A unique key with its columns, in their order. */
export type UniqueKey = { table: string; columns: readonly string[] };

const SCHEMA = readFileSync(new URL("../../schema.sql", import.meta.url), "utf8");

/** The names in a list of columns of SQL, of which each may be followed by its order. */
const namesIn = (list: string): string[] =>
  list.split(", ").map((each) => each.replaceAll('"', "").split(" ")[0] ?? "");

/** The tables of the committed schema.sql, each with the lines of its columns and constraints. */
const ALL_LINES: readonly (readonly [table: string, lines: readonly string[]])[] = [
  ...SCHEMA.matchAll(/^create (?:unlogged )?table (\S+) \(\n(.*?)\n\)/gms),
].map(([, table = "", lines = ""]) => [
  table.replaceAll('"', ""),
  lines.split("\n").map((line) => line.trim().replace(/,$/, "")),
]);

/** Whether a table belongs to the library that signs people in: no room declares it. */
const isOfSignIn = (table: string): boolean => table.startsWith("people.");

const LINES = ALL_LINES.filter(([table]) => !isOfSignIn(table));

/** The names of the tables. */
export const tablesOfSchema: readonly string[] = LINES.map(([table]) => table);

const columnsIn = (tables: typeof ALL_LINES): Column[] =>
  tables.flatMap(([table, lines]) =>
    lines
      .filter((line) => !line.startsWith("constraint "))
      .map((line) => {
        const [, column = "", type = ""] =
          /^"?(\w+)"? (.+?)(?: not null| default .*| generated .*)*$/.exec(line) ?? [];
        return { table, column, type, isNumbered: / generated .* as identity$|nextval\(/.test(line) };
      }),
  );

export const columnsOfSchema: readonly Column[] = columnsIn(LINES);

/** The columns of the tables of the library that signs people in. */
export const columnsOfSignIn: readonly Column[] = columnsIn(ALL_LINES.filter(([table]) => isOfSignIn(table)));

export const foreignKeysOfSchema: readonly ForeignKey[] = LINES.flatMap(([from, lines]) =>
  lines.flatMap((line) => {
    const [, to] = / FOREIGN KEY \(.*?\) REFERENCES (\w+)\(/.exec(line) ?? [];
    return to === undefined ? [] : [{ from, to }];
  }),
);

export const uniqueKeysOfSchema: readonly UniqueKey[] = [
  ...LINES.flatMap(([table, lines]) =>
    lines.flatMap((line) => {
      const [, list] = / (?:PRIMARY KEY|UNIQUE) \((.*?)\)/.exec(line) ?? [];
      return list === undefined ? [] : [{ table, columns: namesIn(list) }];
    }),
  ),
  ...[...SCHEMA.matchAll(/^CREATE UNIQUE INDEX \w+ ON public\.(\w+) USING \w+ \((.*?)\)/gm)].map(
    ([, table = "", list = ""]) => ({ table, columns: namesIn(list) }),
  ),
];

/** The statements that make indexes. */
export const indexesOfSchema: readonly string[] = SCHEMA.match(/^CREATE (?:UNIQUE )?INDEX .*;$/gm) ?? [];
