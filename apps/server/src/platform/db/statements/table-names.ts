import { snakeCase } from "../../text/snake-case.ts";
import type { Tables } from "../db.ts";
import { type SqlText, sqlText } from "./sql-text.ts";

const made = new Map<string | symbol, SqlText>();

/**
 * The tables in the text of a statement: `${t.users}`, in a template string as in Kysely's `sql`. This is the one place that decides under
 * which name a table is asked: its own, `users`, as long as there is one database. Where the rows are spread over several machines, the
 * same table has another name on each of them, and the statements stay as they are.
 */
// The object stays empty: each name is made when it is first read, and the type knows only tables.
export const t = new Proxy({} as { readonly [Table in keyof Tables]: SqlText }, {
  get: (_, table) => {
    const known = made.get(table);
    if (known !== undefined) return known;
    const name = sqlText(snakeCase(String(table)));
    made.set(table, name);
    return name;
  },
});
