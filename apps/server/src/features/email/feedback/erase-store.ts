import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";

/** Forgets which links of mail a user followed, and when. Comes after their deliveries are held: so do touches. */
export async function eraseTouches(tx: Db, { lane, userKey }: UserRef): Promise<void> {
  await sql`delete from email_touches where lane = ${lane} and user_key = ${userKey}`.execute(tx);
  await sql`delete from email_touch_heads where lane = ${lane} and user_key = ${userKey}`.execute(tx);
}
