import { CompiledQuery } from "kysely";
import type pg from "pg";
import type { Db } from "../db.ts";

/** A transaction of Kysely as the client that statements over many rows take, which are part of the transaction then. */
export function clientOf(tx: Db): pg.PoolClient {
  const plain = tx.withoutPlugins();
  const client = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => ({
      rows: (await plain.executeQuery(CompiledQuery.raw(text, values))).rows,
    }),
  };
  // Statements over many rows call nothing but `query` with a text and its values.
  return client as unknown as pg.PoolClient;
}
