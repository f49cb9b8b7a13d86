import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { anonymousKeys } from "../../push/sending/public.ts";

/**
 * Hands what a user's devices reported to another row of the same lane, which says neither who nor which device it was. Of tests, and of
 * pushes that were of no campaign, nothing is kept. Comes after the user's pushes are moved.
 */
export async function anonymizeObservations(
  tx: Db,
  projectId: string,
  from: UserRef,
  to: UserRef,
): Promise<void> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  await sql`delete from push_observations where ${theirs} and (is_test or campaign_id is null)`.execute(tx);
  const { slot, device } = anonymousKeys(to);
  // What a device sent names its target and attempt by the slot: these names change with it.
  const hex = (key: RawBuilder<unknown>) => sql`replace((${key})::text, '-', '')`;
  await sql`
    update push_observations
    set user_key = ${to.userKey}, slot_key = ${slot}, installation_key = ${device}, installation_id = 'erased',
      command = replace(command::text, ${hex(sql`slot_key`)}, ${hex(slot)})::jsonb, digest = 'erased'
    where ${theirs}`.execute(tx);
  await sql`
    update push_engagements set user_key = ${to.userKey}, slot_key = ${slot} where ${theirs}`.execute(tx);
}
