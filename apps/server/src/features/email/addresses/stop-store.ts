import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { farAheadSql } from "../../../platform/time/far-ahead.ts";
import { addressMessagesCte } from "../../webhooks/public.ts";
import type { AddressRef } from "./address-ref.ts";
import type { Stream, SuppressionReason } from "./rules.ts";
import { stopsCampaignsSql, stopsReceiptsSql } from "./streams-store.ts";

/**
 * Addresses of which a statement has stopped the mail of campaigns just now, or let it through again. `reason` is why they get none, or got
 * none. A webhook that keeps a list of its own from these messages must not take a receipt's complaint for more than it is.
 */
const STOPPED = relation<"lane" | "address_key" | "project_id" | "reason" | "at">("stopped");
const ALLOWED = relation<"lane" | "address_key" | "project_id" | "reason" | "at">("allowed");

// Recipients may undo their own unsubscribing, so any other reason replaces that one. Otherwise the first reason stays.
const HARDENS = "a.suppressed_by = 'unsubscribed' and excluded.suppressed_by <> 'unsubscribed'";
const onStopped = sqlText(`
    on conflict (lane, address_key) do update
      set suppressed_at = coalesce(a.suppressed_at, excluded.suppressed_at),
        suppressed_by = case when ${HARDENS} then excluded.suppressed_by else coalesce(a.suppressed_by, excluded.suppressed_by) end,
        receipts_stopped_at = coalesce(a.receipts_stopped_at, excluded.receipts_stopped_at),
        receipts_stopped_by = coalesce(a.receipts_stopped_by, excluded.receipts_stopped_by)
      where a.suppressed_at is null and excluded.suppressed_at is not null or (${HARDENS})
        or a.receipts_stopped_at is null and excluded.receipts_stopped_at is not null
    returning a.lane, a.address_key, a.project_id, a.suppressed_by, a.suppressed_at`);

/**
 * An address to stop mail to. `stream`: whose mail the reason is about; a complaint stops no other. `at` is epoch milliseconds.
 * `notAllowedSince`: an address that was let through again at this instant or later stays as it is; null for one that is stopped whatever was
 * decided.
 */
export type Stop = AddressRef & {
  projectId: string;
  reason: SuppressionReason;
  stream: Stream;
  at: number;
  notAllowedSince: number | null;
};

const STOP_COLUMNS = {
  lane: "int2",
  addressKey: "uuid",
  projectId: "uuid",
  reason: "text",
  stream: "text",
  at: "int8",
  notAllowedSince: "int8",
} as const;

/** SQL: the first of some values of the rows of an address that stop a stream; of campaigns, what their owner cannot undo comes first. */
const firstOf = (value: string, order: string, stops: { toString(): string }): string =>
  `(array_agg(${value} order by ${order}) filter (where ${stops}))[1]`;
const ofCampaigns = (value: string): string =>
  firstOf(value, "i.reason = 'unsubscribed', i.at, i.reason", stopsCampaignsSql("i.reason", "i.stream"));
const ofReceipts = (value: string): string =>
  firstOf(value, "i.at, i.reason", stopsReceiptsSql("i.reason", "i.stream"));

/** SQL that stops mail to the addresses of `input` of which `condition` is true; `a` is the address where there is one. */
const stopSql = (condition: string): string => `,
  before as materialized (
    select a.lane, a.address_key, a.project_id, a.suppressed_by, a.allowed_at
    from (select distinct lane, address_key, project_id from input) i
    join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
    order by a.lane, a.address_key for no key update of a
  ),
  written as (
    insert into ${t.emailAddresses} as a (lane, address_key, project_id, suppressed_at, suppressed_by, receipts_stopped_at, receipts_stopped_by)
    select i.lane, i.address_key, i.project_id, ${ofCampaigns("i.at")}, ${ofCampaigns("i.reason")}, ${ofReceipts("i.at")}, ${ofReceipts("i.reason")}
    from input i
    left join before a on a.lane = i.lane and a.address_key = i.address_key
    where ${condition} and (i.not_allowed_since is null or a.allowed_at is null or a.allowed_at < i.not_allowed_since
      or ${farAheadSql("a.allowed_at", "i.at", 0)})
    group by i.lane, i.address_key, i.project_id
    order by i.lane, i.address_key
    ${onStopped}
  ),
  ${STOPPED} as (
    select w.lane, w.address_key, w.project_id, w.suppressed_by as reason, w.suppressed_at as at from written w
    left join before b on b.lane = w.lane and b.address_key = w.address_key
    where w.suppressed_by is distinct from b.suppressed_by
  ),
  ${addressMessagesCte(STOPPED, "address.suppressed").ctes}
  select`;

/** Stops mail to addresses, from the next message on. An address may be given several times. */
export const suppressAddresses = rowsStatement<Stop, Record<never, never>>(
  { name: "suppress_addresses", reach: "key" },
  STOP_COLUMNS,
  stopSql("true"),
);

/** The same, of addresses that mail has left for, and of no others. */
export const suppressKnownAddresses = rowsStatement<Stop, Record<never, never>>(
  { name: "suppress_known_addresses", reach: "key" },
  STOP_COLUMNS,
  stopSql("a.project_id = i.project_id"),
);

/**
 * Stops mail to an address, from the next message on; `stream` (campaigns) is whose mail the reason is about. Says whether anything changed.
 */
export async function suppressAddress(
  tx: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  stop: { reason: SuppressionReason; at: number; address?: string; stream?: Stream },
): Promise<boolean> {
  const { reason, at, address = null, stream = "campaigns" } = stop;
  const { rows } = await sql`
    with input as (
      select ${lane}::int2 as lane, ${addressKey}::uuid as address_key, ${projectId}::uuid as project_id, ${address}::text as address,
        ${at}::int8 as at, ${reason}::text as reason, ${stream}::text as stream
    ),
    before as materialized (
      select a.suppressed_by from ${t.emailAddresses} a
      where a.lane = ${lane} and a.address_key = ${addressKey} and a.project_id = ${projectId} for no key update
    ),
    written as (
      insert into ${t.emailAddresses} as a
        (lane, address_key, project_id, address, suppressed_at, suppressed_by, receipts_stopped_at, receipts_stopped_by)
      select i.lane, i.address_key, i.project_id, i.address,
        case when ${stopsCampaignsSql("i.reason", "i.stream")} then i.at end, case when ${stopsCampaignsSql("i.reason", "i.stream")} then i.reason end,
        case when ${stopsReceiptsSql("i.reason", "i.stream")} then i.at end, case when ${stopsReceiptsSql("i.reason", "i.stream")} then i.reason end
      from input i
      where (select count(*) from before) is not null
      ${onStopped}
    ), ${STOPPED} as (
      select w.lane, w.address_key, w.project_id, w.suppressed_by as reason, ${at}::int8 as at from written w
      where w.suppressed_by is distinct from (select b.suppressed_by from before b)
    ), ${addressMessagesCte(STOPPED, "address.suppressed").ctes}
    select from written`.execute(tx);
  return rows.length > 0;
}

/**
 * Allows mail to an address again, at an instant in epoch milliseconds; with a reason, only that of campaigns, and only where it was stopped for
 * that one: so recipients undo their own unsubscribing. Answers whether anything was stopped.
 */
export async function allowAddress(
  tx: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  { at, reason }: { at: number; reason?: SuppressionReason },
): Promise<boolean> {
  const isMeant: RawBuilder<unknown> =
    reason === undefined
      ? sql`(suppressed_at is not null or receipts_stopped_at is not null)`
      : sql`suppressed_by = ${reason}`;
  const receipts: RawBuilder<unknown> =
    reason === undefined ? sql`, receipts_stopped_at = null, receipts_stopped_by = null` : sql``;
  const { rows } = await sql`
    with before as materialized (
      select lane, address_key, project_id, suppressed_by as reason, ${at}::int8 as at from ${t.emailAddresses}
      where lane = ${lane} and address_key = ${addressKey} and project_id = ${projectId} and ${isMeant}
      for no key update
    ), lifted as (
      update ${t.emailAddresses} a
      set suppressed_at = null, suppressed_by = null, allowed_at = b.at, failures = 0, first_failed_at = null ${receipts}
      from before b where a.lane = b.lane and a.address_key = b.address_key
      returning b.*
    ), ${ALLOWED} as (
      select * from lifted where reason is not null
    ), ${addressMessagesCte(ALLOWED, "address.allowed").ctes}
    select from lifted`.execute(tx);
  return rows.length > 0;
}
