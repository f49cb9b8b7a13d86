import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";

const KEYED_BY_SLOT = ["push_targets", "push_attempts", "push_outcomes"] as const;

/**
 * Hands a user's pushes to another row of the same lane, without a word of who they were for, or on which device: what counts
 * stays. What is open is closed. Tests are forgotten, and so is what devices reported but that it arrived. Comes before their
 * deliveries are moved.
 */
export async function movePushes(tx: Db, projectId: string, from: UserRef, to: UserRef): Promise<void> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  await sql`select from push_recipients where ${theirs} order by campaign_id, send_id for update`.execute(tx);
  await sql`select from push_slots where ${theirs} order by slot_key for update`.execute(tx);
  const tests = sql`select slot_key from push_slots where ${theirs} and is_test`;
  for (const table of KEYED_BY_SLOT)
    await sql`delete from ${sql.table(table)} where ${theirs} and slot_key in (${tests})`.execute(tx);
  await sql`delete from push_observations where ${theirs} and (is_test or campaign_id is null)`.execute(tx);
  await sql`delete from push_slots where ${theirs} and is_test`.execute(tx);
  await sql`delete from push_recipients where ${theirs} and send_id <> campaign_id`.execute(tx);
  await sql`delete from push_tests where ${theirs}`.execute(tx);
  // The key of a slot was made of the user and the device: another one takes its place, the same in every table.
  const rekeyed = sql`md5(slot_key::text || ${to.userKey})::uuid`;
  const device = sql`md5(installation_key::text || ${to.userKey})::uuid`;
  await sql`
    update push_slots
    set user_key = ${to.userKey}, slot_key = ${rekeyed}, installation_key = ${device}, installation_id = 'erased',
      revision = revision + 1, reason = case when state in ('ready', 'waiting') then 'binding_changed' else reason end,
      state = case when state in ('ready', 'waiting') then 'closed'::push_slot_state else state end
    where ${theirs}`.execute(tx);
  await sql`
    update push_targets set user_key = ${to.userKey}, slot_key = ${rekeyed}, content = null where ${theirs}`.execute(
    tx,
  );
  for (const table of ["push_attempts", "push_outcomes"] as const)
    await sql`update ${sql.table(table)} set user_key = ${to.userKey}, slot_key = ${rekeyed} where ${theirs}`.execute(
      tx,
    );
  // What a device sent names its target and attempt by the slot: these names change with it.
  const hex = (key: RawBuilder<unknown>) => sql`replace((${key})::text, '-', '')`;
  await sql`
    update push_observations
    set user_key = ${to.userKey}, slot_key = ${rekeyed}, installation_key = ${device}, installation_id = 'erased',
      command = replace(command::text, ${hex(sql`slot_key`)}, ${hex(rekeyed)})::jsonb, digest = 'erased'
    where ${theirs}`.execute(tx);
  await sql`
    update push_engagements set user_key = ${to.userKey}, slot_key = ${rekeyed} where ${theirs}`.execute(tx);
  await sql`update push_conversions set user_key = ${to.userKey}, event_id = 'erased' where ${theirs}`.execute(
    tx,
  );
  // Who had no device yet never will have one.
  await sql`delete from push_recipients where ${theirs} and state = 'waiting'`.execute(tx);
  await sql`update push_recipients set user_key = ${to.userKey} where ${theirs}`.execute(tx);
}
