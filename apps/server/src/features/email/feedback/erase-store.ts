import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** Deletes which links of mail a user followed, and when. Lock the user's deliveries first: recording a hit locks them as well. */
export async function eraseHits(tx: Db, { lane, userKey }: UserRef): Promise<void> {
  await sql`delete from ${t.emailHits} where lane = ${lane} and user_key = ${userKey}`.execute(tx);
  await sql`delete from ${t.emailHitHeads} where lane = ${lane} and user_key = ${userKey}`.execute(tx);
}
