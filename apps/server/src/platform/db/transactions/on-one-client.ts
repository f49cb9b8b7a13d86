import type pg from "pg";
import { type Db, kyselyOn } from "../db.ts";

/**
 * The query builder on a connection outside of all pools, whose transaction the caller begins and ends: for what also streams rows over
 * it. Statements are run one after the other, as the caller awaits them.
 */
export const kyselyOnClient = (client: pg.Client): Db => {
  const connection = Object.assign(client, { release: () => undefined });
  return kyselyOn({ options: {}, connect: async () => connection, end: async () => undefined });
};
