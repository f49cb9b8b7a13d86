import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import type { SuppressionReason } from "./rules.ts";

/** Addresses that were suppressed for a reason, from `since` on and before `until` (epoch milliseconds). */
export type SuppressedWithin = { reason: SuppressionReason; since: number; until: number };

const within = (projectId: string, { reason, since, until }: SuppressedWithin) => sql`
  a.project_id = ${projectId} and a.suppressed_by = ${reason} and a.suppressed_at >= ${since} and a.suppressed_at < ${until}`;

/** How many addresses are meant. */
export async function countSuppressedWithin(
  db: Db,
  projectId: string,
  chosen: SuppressedWithin,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from email_addresses a where ${within(projectId, chosen)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Allows mail to at most `limit` of these addresses again, and logs it as a decision of `by`. Answers how many it were. */
export async function liftSuppressedWithin(
  tx: Db,
  projectId: string,
  chosen: SuppressedWithin,
  { by, at, limit }: { by: string; at: number; limit: number },
): Promise<number> {
  const { rows } = await sql`
    with chosen as (
      select a.lane, a.address_key, a.suppressed_by from email_addresses a where ${within(projectId, chosen)}
      order by a.lane, a.address_key limit ${limit} for no key update of a
    ),
    logged as (
      insert into suppression_changes (project_id, lane, address_key, before, after, changed_by, changed_at)
      select ${projectId}, lane, address_key, suppressed_by, null, ${by}, ${at} from chosen
    )
    update email_addresses a set suppressed_at = null, suppressed_by = null, allowed_at = ${at}
    from chosen c where c.lane = a.lane and c.address_key = a.address_key
    returning true`.execute(tx);
  return rows.length;
}
