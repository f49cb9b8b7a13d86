import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** Deletes the receipts of a user's feedback. The deliveries keep what the feedback said. */
export async function eraseReceipts(tx: Db, { lane, userKey }: UserRef): Promise<void> {
  await sql`delete from ${t.feedbackReceipts} where lane = ${lane} and user_key = ${userKey}`.execute(tx);
}
