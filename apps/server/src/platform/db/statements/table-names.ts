import { snakeCase } from "../../text/snake-case.ts";
import type { Tables } from "../db.ts";

/**
 * The tables in the text of a hot statement: `${t.users}`. This is the one place that decides under which name a table is asked: its own,
 * `users`, as long as there is one database. Where the rows are spread over several machines, the same table has another name on each
 * of them, and the statements stay as they are.
 */
// The object stays empty: each name is made when it is read, and the type knows only tables.
export const t = new Proxy({} as { readonly [Table in keyof Tables]: string }, {
  get: (_, table) => snakeCase(String(table)),
});
