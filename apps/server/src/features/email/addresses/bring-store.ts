import { sql } from "kysely";
import type { Tx } from "../../../platform/db/db.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { farAheadSql } from "../../../platform/time/far-ahead.ts";
import type { AddressRef } from "./address-ref.ts";
import type { SuppressionReason } from "./rules.ts";
import { stopsReceiptsSql } from "./streams-store.ts";

/**
 * An address that a file says gets no mail, since `at` (epoch milliseconds). `by` is logged as the author. A complaint in a file is one about
 * campaigns.
 */
export type BroughtStop = AddressRef & {
  projectId: string;
  address: string;
  reason: SuppressionReason;
  at: number;
  by: string;
  now: number;
};

const BROUGHT_COLUMNS = {
  lane: "int2",
  addressKey: "uuid",
  projectId: "uuid",
  address: "text",
  reason: "text",
  at: "int8",
  now: "int8",
} as const;

const stopsReceipts = (reason: string): string => `${stopsReceiptsSql(reason, "'campaigns'")}`;

/** SQL: the address `a` was not let through again since `at`. */
const isNotAllowedSince = (at: string, now: string): string =>
  `(a.allowed_at is null or a.allowed_at < ${at} or ${farAheadSql("a.allowed_at", now, 0)})`;

/** SQL: a recipient had unsubscribed, and the reason is one that they cannot undo. */
const hardens = (reason: string): string =>
  `(a.suppressed_by = 'unsubscribed' and ${reason} <> 'unsubscribed')`;

/** SQL: whether a stop since `at` changes what the address `a` gets of campaigns. One that was let through since then stays so. */
const changesCampaigns = (reason: string, at: string, now: string): string =>
  `(a.suppressed_at is null and ${isNotAllowedSince(at, now)} or ${hardens(reason)})`;

/** SQL: the same of receipts, which are stopped where campaigns are stopped for that reason. */
const changesReceipts = (reason: string, at: string, now: string): string =>
  `(a.receipts_stopped_at is null and ${stopsReceipts(reason)} and (${isNotAllowedSince(at, now)} or ${hardens(reason)}))`;

/** Answers the positions (from 1) of addresses of which a file changes something. */
export const findBroughtStops = rowsStatement<Omit<BroughtStop, "by">, { ord: number }>(
  { name: "find_brought_stops", reach: "key" },
  BROUGHT_COLUMNS,
  ` select i.ord::int4 from input i
  left join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
  where a.address_key is null or ${changesCampaigns("i.reason", "i.at", "i.now")} or ${changesReceipts("i.reason", "i.at", "i.now")}`,
  ["now"],
);

const EXCLUDED = [
  "excluded.suppressed_by",
  "excluded.suppressed_at",
  "(select max(now) from input)",
] as const;

/** Stops mail to addresses because a file says so, each given once, and logs that. Answers the positions (from 1) of those that changed. */
export const bringStops = rowsStatement<BroughtStop, { ord: number }>(
  { name: "bring_stops", reach: "key" },
  { ...BROUGHT_COLUMNS, by: "text" },
  `,
  known as materialized (
    select a.lane, a.address_key, a.suppressed_by as before from input i
    join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
    order by a.lane, a.address_key for no key update of a
  ),
  stopped as (
    insert into ${t.emailAddresses} as a
      (lane, address_key, project_id, address, suppressed_at, suppressed_by, receipts_stopped_at, receipts_stopped_by)
    select i.lane, i.address_key, i.project_id, i.address, i.at, i.reason,
      case when ${stopsReceipts("i.reason")} then i.at end, case when ${stopsReceipts("i.reason")} then i.reason end
    from input i
    where (select count(*) from known) is not null
    order by i.lane, i.address_key
    on conflict (lane, address_key) do update
      set suppressed_at = coalesce(a.suppressed_at, excluded.suppressed_at),
        suppressed_by = case when a.suppressed_at is null or ${hardens(EXCLUDED[0])} then excluded.suppressed_by else a.suppressed_by end,
        receipts_stopped_at = coalesce(a.receipts_stopped_at, excluded.receipts_stopped_at),
        receipts_stopped_by = coalesce(a.receipts_stopped_by, excluded.receipts_stopped_by),
        address = coalesce(a.address, excluded.address)
      where ${changesCampaigns(...EXCLUDED)} or ${changesReceipts(...EXCLUDED)}
    returning a.lane, a.address_key
  ),
  changed as materialized (
    select i.*, k.before from stopped s
    join input i on i.lane = s.lane and i.address_key = s.address_key
    left join known k on k.lane = s.lane and k.address_key = s.address_key
  ),
  logged as (
    insert into ${t.suppressionChanges} (project_id, lane, address_key, before, after, changed_by, changed_at)
    select project_id, lane, address_key, before, reason, by, now from changed order by ord
  )
  select ord::int4 from changed`,
  ["by", "now"],
);

/** Stops receipts to addresses of a file from before they had a stop of their own, where the reason is about the address itself. */
export async function adoptStops(tx: Tx, projectId: string): Promise<void> {
  await sql`
    update ${t.emailAddresses} set receipts_stopped_at = suppressed_at, receipts_stopped_by = suppressed_by
    where project_id = ${projectId} and suppressed_by in ('bounced', 'manual') and receipts_stopped_at is null`.execute(
    tx,
  );
}
