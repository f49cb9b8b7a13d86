import { CompiledQuery } from "kysely";
import type { Db } from "../db.ts";

/**
 * Runs a text with `$1`, `$2`, … on a connection of Kysely: for what is made from lists of tables, or reads one parameter in many places.
 * Anything else is written with Kysely's `sql`. Keys of rows are in camelCase.
 */
export async function textQuery<Row>(db: Db, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}
