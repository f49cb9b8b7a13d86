import { type RawBuilder, sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { anonymousKeys } from "../../push/sending/public.ts";

/**
 * Moves what a user's devices reported to the key of an anonymised user in the same lane, without the devices. Reports of tests and
 * reports without a campaign are deleted. Call this after the user's pushes are moved.
 */
export async function anonymizeObservations(
  tx: Db,
  projectId: string,
  from: UserRef,
  to: UserRef,
): Promise<void> {
  const theirs = sql`lane = ${from.lane} and user_key = ${from.userKey} and project_id = ${projectId}`;
  await sql`delete from ${t.pushObservations} where ${theirs} and (is_test or campaign_id is null)`.execute(
    tx,
  );
  const { slot, device } = anonymousKeys(to);
  // Commands contain ids of targets and attempts, which contain the slot's key: replace it there too.
  const hex = (key: RawBuilder<unknown>) => sql`replace((${key})::text, '-', '')`;
  await sql`
    update ${t.pushObservations}
    set user_key = ${to.userKey}, slot_key = ${slot}, installation_key = ${device}, installation_id = 'erased',
      command = replace(command::text, ${hex(sql`slot_key`)}, ${hex(slot)})::jsonb, digest = 'erased'
    where ${theirs}`.execute(tx);
  await sql`
    update ${t.pushEngagements} set user_key = ${to.userKey}, slot_key = ${slot} where ${theirs}`.execute(tx);
}
