import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { AddressRef } from "./address-ref.ts";

/**
 * Deletes the addresses that mail of a user went to. The hash of an address stays, because a suppression outlives its user; an
 * address of another user who still exists stays too. Answers the addresses.
 */
export async function forgetAddresses(
  tx: Db,
  projectId: string,
  user: UserRef,
  refs: readonly AddressRef[],
): Promise<string[]> {
  if (refs.length === 0) return [];
  const keys = [...new Set(refs.map(({ addressKey }) => addressKey))];
  const lanes = [...new Set(refs.map(({ lane }) => lane))];
  const { rows } = await sql<{ address: string }>`
    select address from ${t.emailAddresses} a
    where a.lane = any(${lanes}::int2[]) and a.address_key = any(${keys}::uuid[]) and a.project_id = ${projectId}
      and address is not null
    order by a.lane, a.address_key for no key update`.execute(tx);
  await sql`
    update ${t.emailAddresses} a set address = null
    where a.lane = any(${lanes}::int2[]) and a.address_key = any(${keys}::uuid[]) and a.project_id = ${projectId}
      and not exists (
        select from ${t.emailSends} s join ${t.users} u on u.lane = s.lane and u.user_key = s.user_key
        where s.address_lane = a.lane and s.address_key = a.address_key and s.project_id = a.project_id
          and s.user_key <> ${user.userKey}
      )`.execute(tx);
  return rows.map(({ address }) => address);
}
