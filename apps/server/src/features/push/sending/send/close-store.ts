import { sql } from "kysely";
import type { DeliveryKey } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { inIndexOrder } from "../../../../platform/db/in-index-order.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { sameRecipient } from "../recipient-store.ts";
import { sameSlot } from "../slot-store.ts";

/**
 * Closes at most `limit` slots and recipients each of a campaign that has ended, and answers whose slots these were. `isDone`: none is open or in
 * flight any more. Needs a transaction.
 */
export async function closeEnded(
  tx: Db,
  projectId: string,
  campaignId: string,
  limit: number,
): Promise<{ closed: number; ended: DeliveryKey[]; isDone: boolean }> {
  const closingSlots = sql<DeliveryKey>`
    with picked as (
      select lane, user_key, slot_key from ${t.pushSlots}
      where campaign_id = ${campaignId} and project_id = ${projectId} and state in ('ready', 'waiting') and not is_test
      order by at limit ${limit} for update skip locked
    )
    update ${t.pushSlots} s set state = 'closed', reason = 'campaign_ended', postponed_by = null, revision = revision + 1
    from picked p where ${sameSlot("s", "p")}
    returning s.lane, s.user_key as "userKey", s.campaign_id as "campaignId", s.occasion`;
  const closingRecipients = sql`
    with picked as (
      select lane, user_key, send_id from ${t.pushRecipients}
      where campaign_id = ${campaignId} and project_id = ${projectId} and state = 'waiting'
      order by lane, user_key limit ${limit} for update skip locked
    )
    update ${t.pushRecipients} r set state = 'closed', reason = 'campaign_ended'
    from picked p
    where ${sameRecipient("r", "p")} and r.campaign_id = ${campaignId}`;
  // In the order of locks: recipients before their slots.
  const recipients = await inIndexOrder(tx, () => closingRecipients.execute(tx));
  const slots = await inIndexOrder(tx, () => closingSlots.execute(tx));
  const { rows } = await sql<{ isOpen: boolean }>`
    select exists (
      select from ${t.pushSlots}
      where campaign_id = ${campaignId} and project_id = ${projectId} and not is_test
        and state in ('ready', 'waiting', 'reserved')
    ) or exists (
      select from ${t.pushRecipients}
      where campaign_id = ${campaignId} and project_id = ${projectId} and state = 'waiting'
    ) as "isOpen"`.execute(tx);
  const closed = Number(slots.numAffectedRows ?? 0) + Number(recipients.numAffectedRows ?? 0);
  return { closed, ended: slots.rows, isDone: rows[0]?.isOpen === false };
}
