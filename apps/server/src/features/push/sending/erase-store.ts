import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { ofDelivery } from "./recipient-store.ts";

const KEYED_BY_SLOT = [t.pushTargets, t.pushAttempts, t.pushOutcomes];

/**
 * The keys that replace those of a user's slots and devices when the user is erased, the same in every table. The old keys were
 * computed from the user's id.
 */
export const anonymousKeys = ({ userKey }: UserRef) => ({
  slot: sql`md5(slot_key::text || ${userKey})::uuid`,
  device: sql`md5(installation_key::text || ${userKey})::uuid`,
});

/**
 * Moves a user's pushes to the key of an anonymised user in the same lane, without their devices, so that reports stay the same. Open
 * slots are closed, and tests are deleted. Call this before the user's deliveries are moved.
 */
export async function anonymizePushes(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  await sql`select from ${t.pushRecipients} where ${theirs} order by campaign_id, send_id for update`.execute(
    tx,
  );
  await sql`select from ${t.pushSlots} where ${theirs} order by slot_key for update`.execute(tx);
  const tests = sql`select slot_key from ${t.pushSlots} where ${theirs} and is_test`;
  for (const table of KEYED_BY_SLOT)
    await sql`delete from ${table} where ${theirs} and slot_key in (${tests})`.execute(tx);
  await sql`delete from ${t.pushSlots} where ${theirs} and is_test`.execute(tx);
  await sql`delete from ${t.pushRecipients} where ${theirs} and not ${ofDelivery(t.pushRecipients)}`.execute(
    tx,
  );
  await sql`delete from ${t.pushTests} where ${theirs}`.execute(tx);
  const { slot: rekeyed, device } = anonymousKeys(to);
  await sql`
    update ${t.pushSlots}
    set user_key = ${to.userKey}, slot_key = ${rekeyed}, installation_key = ${device}, installation_id = 'erased',
      revision = revision + 1, reason = case when state in ('ready', 'waiting') then 'binding_changed' else reason end,
      postponed_by = null, state = case when state in ('ready', 'waiting') then 'closed'::push_slot_state else state end
    where ${theirs}`.execute(tx);
  await sql`
    update ${t.pushTargets} set user_key = ${to.userKey}, slot_key = ${rekeyed}, content = null where ${theirs}`.execute(
    tx,
  );
  for (const table of [t.pushAttempts, t.pushOutcomes])
    await sql`update ${table} set user_key = ${to.userKey}, slot_key = ${rekeyed} where ${theirs}`.execute(
      tx,
    );
  await sql`update ${t.pushConversions} set user_key = ${to.userKey}, event_id = 'erased' where ${theirs}`.execute(
    tx,
  );
  // A recipient who waits for a device will never have one.
  await sql`delete from ${t.pushRecipients} where ${theirs} and state = 'waiting'`.execute(tx);
  await sql`update ${t.pushRecipients} set user_key = ${to.userKey} where ${theirs}`.execute(tx);
}
