import type pg from "pg";

/** The channel of PostgreSQL's notifications on which processes announce changes to each other. */
const CHANNEL = "tidings_changes";

/** Has a connection get the notifications of all processes on this database, its own among them. */
export async function listen(client: pg.Client): Promise<void> {
  await client.query(`listen ${CHANNEL}`);
}

/** Sends a notification to every process that listens on this database. */
export async function notifyProcesses(pool: pg.Pool, payload: string): Promise<void> {
  await pool.query("select pg_notify($1, $2)", [CHANNEL, payload]);
}
