import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** A push on a device of the demo. `payload` is the JSON body for APNs; `at` is epoch milliseconds. */
export type DemoPush = { id: string; payload: unknown; at: number };

/** Pushes are kept this long. */
const KEPT_MS = 7 * 86_400_000;

/** Stores a push for a device. It replaces one with the same collapse id. */
export async function bringPush(
  db: Db,
  {
    token,
    collapseId,
    id,
    payload,
    at,
  }: { token: string; collapseId: string; id: string; payload: string; at: number },
): Promise<void> {
  await sql`
    with gone as (delete from ${t.demoPushes} where at < ${at - KEPT_MS})
    insert into ${t.demoPushes} as p (token, collapse_id, id, payload, at)
    values (${token}, ${collapseId}, ${id}, ${payload}, ${at})
    on conflict (token, collapse_id) do update set id = excluded.id, payload = excluded.payload, at = excluded.at`.execute(
    db,
  );
}

/** The latest pushes of a device, newest first. */
export async function listPushes(db: Db, token: string): Promise<DemoPush[]> {
  return db
    .selectFrom("demoPushes")
    .select(["id", "payload", "at"])
    .where("token", "=", token)
    .orderBy("at", "desc")
    .orderBy("id")
    .limit(20)
    .execute();
}
