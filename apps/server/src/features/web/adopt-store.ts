import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { sameDelivery } from "../deliveries/public.ts";

/**
 * Moves the receipts of a visitor's feedback to the user who has its deliveries now, so that a repeat finds its receipt. A receipt whose id the
 * user has used goes: the delivery keeps what it said.
 */
export async function adoptReceipts(tx: Db, from: UserRef, to: UserRef): Promise<void> {
  const theirs = sql`r.lane = ${from.lane} and r.user_key = ${from.userKey}`;
  const isMoved = sql`not exists (
      select from ${t.deliveries} d
      where ${sameDelivery("d", "r")}
    )`;
  await sql`
    update ${t.feedbackReceipts} r set lane = ${to.lane}, user_key = ${to.userKey}
    where ${theirs} and ${isMoved} and not exists (
      select from ${t.feedbackReceipts} o
      where o.lane = ${to.lane} and o.user_key = ${to.userKey} and o.feedback_id = r.feedback_id
    )`.execute(tx);
  await sql`delete from ${t.feedbackReceipts} r where ${theirs} and ${isMoved}`.execute(tx);
}
