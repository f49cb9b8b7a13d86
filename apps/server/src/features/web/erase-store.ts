import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";

/** Forgets what a user reported of messages; what became of the deliveries is theirs to keep. */
export async function eraseReceipts(tx: Db, { lane, userKey }: UserRef): Promise<void> {
  await sql`delete from feedback_receipts where lane = ${lane} and user_key = ${userKey}`.execute(tx);
}
