import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { addressRef } from "../addresses/public.ts";
import { parseAddress } from "../addresses/rules.ts";

const MOST = 10;

/**
 * The users to whose address mail has left, and who still have it, whatever its case. It is read by the index of addresses, so that it
 * finds one user among any number.
 */
export async function findAddressees(db: Db, projectId: string, typed: string): Promise<UserRef[]> {
  const to = parseAddress(typed);
  if (to === null) return [];
  const { lane, addressKey } = addressRef(projectId, to.address);
  const { rows } = await sql<UserRef>`
    select distinct u.lane, u.user_key as "userKey"
    from ${t.emailSends} s
    join ${t.users} u on u.lane = s.lane and u.user_key = s.user_key and u.project_id = s.project_id
    where s.address_lane = ${lane} and s.address_key = ${addressKey} and s.project_id = ${projectId}
      and lower(trim(u.traits ->> 'email')) = lower(${typed.trim()})
    limit ${MOST}`.execute(db);
  return rows;
}
