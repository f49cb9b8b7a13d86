import type pg from "pg";

/** Every house has one at least, with an id that is random: what has these ids has what was written together with them. */
const WITNESS = "organizations";

/** By which the rows of a house are known elsewhere. */
export async function readWitnesses(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(`select id::text from ${WITNESS} order by id`);
  return rows.map(({ id }) => id);
}

/**
 * The same, once no transaction is open any more that has locked the tables as `lockTables` does: one whose connection was lost may still
 * commit.
 * @throws after half a minute, where one is
 */
export async function readWitnessesAfterwards(client: pg.Client): Promise<string[]> {
  await client.query("begin; set local lock_timeout = '30s'");
  await client.query(`lock table ${WITNESS} in row exclusive mode`);
  const found = await readWitnesses(client);
  await client.query("rollback");
  return found;
}
