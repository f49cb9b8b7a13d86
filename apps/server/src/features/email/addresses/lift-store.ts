import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { inIndexOrder } from "../../../platform/db/in-index-order.ts";
import { relation, rowFilter } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { addressMessagesCte } from "../../webhooks/public.ts";
import type { SuppressionReason } from "./rules.ts";
import { stoppedAtSql } from "./streams-store.ts";

/** Addresses that were suppressed for a reason, from `since` on and before `until` (epoch milliseconds). */
export type SuppressedWithin = { reason: SuppressionReason; since: number; until: number };

const within = (projectId: string, { reason, since, until }: SuppressedWithin) => sql`
  a.project_id = ${projectId} and a.suppressed_by = ${reason} and ${stoppedAtSql("a")} >= ${since} and ${stoppedAtSql("a")} < ${until}`;

/** Those of which receipts alone were stopped for the reason: campaigns had been stopped for another one, which stays. */
const receiptsWithin = (projectId: string, { reason, since, until }: SuppressedWithin) => sql`
  a.project_id = ${projectId} and a.receipts_stopped_by = ${reason} and a.suppressed_by is distinct from a.receipts_stopped_by
  and a.receipts_stopped_at >= ${since} and a.receipts_stopped_at < ${until}`;

/** How many addresses are meant. */
export async function countSuppressedWithin(
  db: Db,
  projectId: string,
  chosen: SuppressedWithin,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from ${t.emailAddresses} a where ${within(projectId, chosen)})
      + (select count(*) from ${t.emailAddresses} a where ${receiptsWithin(projectId, chosen)}) as count`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

const LIFTED = relation<"lane" | "address_key" | "project_id" | "reason" | "at">("lifted");

/** The author for the log, the instant (epoch milliseconds), and how many addresses at most. */
type Lifting = { by: string; at: number; limit: number };

/**
 * What came of a piece. `looked`: how many addresses were found, of which another decision may have been made meanwhile; `last`: when the last of
 * them was suppressed.
 */
export type LiftedPiece = { lifted: number; looked: number; last: number | null };
const NOTHING: LiftedPiece = { lifted: 0, looked: 0, last: null };

/**
 * Allows mail to at most `limit` of these addresses again, those that were suppressed first, and logs it as a decision of `by`. Receipts that were
 * stopped for another reason stay so.
 */
export async function liftSuppressedWithin(
  tx: Db,
  projectId: string,
  chosen: SuppressedWithin,
  { by, at, limit }: Lifting,
): Promise<LiftedPiece> {
  const lifting = sql<LiftedPiece>`
    with found as materialized (
      select a.lane, a.address_key, a.suppressed_at from ${t.emailAddresses} a where ${within(projectId, chosen)}
      order by ${stoppedAtSql("a")} limit ${limit}
    ),
    -- They are found in the order of an index, and locked in that of their keys.
    chosen as (
      select a.lane, a.address_key, a.suppressed_by
      from found f join ${t.emailAddresses} a on a.lane = f.lane and a.address_key = f.address_key
      where a.suppressed_by = ${chosen.reason} and ${rowFilter("a.suppressed_at = f.suppressed_at")}
      order by a.lane, a.address_key for no key update of a
    ),
    logged as (
      insert into ${t.suppressionChanges} (project_id, lane, address_key, before, after, changed_by, changed_at)
      select ${projectId}, lane, address_key, suppressed_by, null, ${by}, ${at} from chosen
    ),
    ${LIFTED} as (
      update ${t.emailAddresses} a set suppressed_at = null, suppressed_by = null, allowed_at = ${at}, failures = 0, first_failed_at = null,
        receipts_stopped_at = case when a.receipts_stopped_by = c.suppressed_by then null else a.receipts_stopped_at end,
        receipts_stopped_by = case when a.receipts_stopped_by = c.suppressed_by then null else a.receipts_stopped_by end
      from chosen c where c.lane = a.lane and c.address_key = a.address_key
      returning a.lane, a.address_key, a.project_id, c.suppressed_by as reason, ${at}::int8 as at
    ), ${addressMessagesCte(LIFTED, "address.allowed").ctes}
    select (select count(*) from ${LIFTED}) as lifted, count(*) as looked, max(suppressed_at) as last from found`;
  const { rows } = await inIndexOrder(tx, () => lifting.execute(tx));
  return rows[0] ?? NOTHING;
}

/** The same of addresses of which receipts alone were stopped for the reason. */
export async function liftReceiptsWithin(
  tx: Db,
  projectId: string,
  chosen: SuppressedWithin,
  { by, at, limit }: Lifting,
): Promise<LiftedPiece> {
  const lifting = sql<LiftedPiece>`
    with found as materialized (
      select a.lane, a.address_key, a.receipts_stopped_at from ${t.emailAddresses} a where ${receiptsWithin(projectId, chosen)}
      order by a.receipts_stopped_at limit ${limit}
    ),
    chosen as (
      select a.lane, a.address_key, a.receipts_stopped_by
      from found f join ${t.emailAddresses} a on a.lane = f.lane and a.address_key = f.address_key
      where a.receipts_stopped_by = ${chosen.reason} and a.suppressed_by is distinct from a.receipts_stopped_by
        and ${rowFilter("a.receipts_stopped_at = f.receipts_stopped_at")}
      order by a.lane, a.address_key for no key update of a
    ),
    logged as (
      insert into ${t.suppressionChanges} (project_id, lane, address_key, before, after, changed_by, changed_at)
      select ${projectId}, lane, address_key, receipts_stopped_by, null, ${by}, ${at} from chosen
    ),
    lifted as (
      update ${t.emailAddresses} a set receipts_stopped_at = null, receipts_stopped_by = null, allowed_at = ${at},
        failures = 0, first_failed_at = null
      from chosen c where c.lane = a.lane and c.address_key = a.address_key
      returning a.address_key
    )
    select (select count(*) from lifted) as lifted, count(*) as looked, max(receipts_stopped_at) as last from found`;
  const { rows } = await inIndexOrder(tx, () => lifting.execute(tx));
  return rows[0] ?? NOTHING;
}
