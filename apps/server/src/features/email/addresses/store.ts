import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { relation, rowFilter, withValue } from "../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { farAheadSql } from "../../../platform/time/far-ahead.ts";
import { addressMessagesCte } from "../../webhooks/public.ts";
import type { AddressRef } from "./address-ref.ts";
import { isReceiptsStoppedSql, isSuppressedSql, stoppedAtSql } from "./streams-store.ts";

/** SQL: how many of these acceptances (`int8[]`) lie within the window of the cap, which begins after `since`. */
export const acceptedSince = (acceptedAt: string, since: string): SqlText =>
  sqlText(`(select count(*) from unnest(${acceptedAt}) at where at > ${since})::int`);

/** SQL: these acceptances within the window of the cap as JSON, oldest first. */
const acceptancesSince = (acceptedAt: string, since: string): SqlText =>
  sqlText(
    `(select coalesce(json_agg(at order by at), '[]') from unnest(${acceptedAt}) at where at > ${since})`,
  );

/** An address that mail is about to leave for now; `since` is where the window of the cap begins, epoch milliseconds. */
export type Addressee = AddressRef & { projectId: string; address: string; since: number; now: number };

export type AddresseeState = {
  address_key: string;
  is_suppressed: boolean;
  is_receipts_stopped: boolean;
  /** When mail was accepted for it within the window of the cap (epoch ms), oldest first. */
  accepted_at: number[];
  on_the_way: number;
};

/**
 * Locks addresses, each given once, until the transaction ends, and answers their states. An address that another transaction is
 * inserting just now is left out: its message is leased again later. An acceptance that a clock recorded which was ahead counts from now on:
 * by then the mail had been accepted.
 */
export const lockAddresses = rowsStatement<Addressee, AddresseeState>(
  { name: "lock_addresses", reach: "key" },
  { lane: "int2", addressKey: "uuid", projectId: "uuid", address: "text", since: "int8", now: "int8" },
  `,
  made as (
    insert into ${t.emailAddresses} as a (lane, address_key, project_id, address)
    select lane, address_key, project_id, address from input order by lane, address_key
    on conflict (lane, address_key) do update set address = a.address where false
    returning a.address_key
  ),
  locked as (
    select a.lane, a.address_key, a.suppressed_at, a.receipts_stopped_at, a.accepted_at, a.on_the_way, i.since, i.address, i.now,
      a.address is null as is_forgotten, exists (select from unnest(a.accepted_at) at where ${farAheadSql("at", "i.now", 0)}) as is_ahead
    from input i
    join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
    order by a.lane, a.address_key for no key update of a
  ),
  known as (
    select h.lane, h.address_key, h.suppressed_at, h.receipts_stopped_at, h.on_the_way, h.since, h.address, h.is_forgotten, h.is_ahead,
      case when h.is_ahead then array(select least(at, h.now) from unnest(h.accepted_at) at order by 1) else h.accepted_at end as accepted_at
    from locked h
  ),
  -- A forgotten address was deleted with a user who was erased, and another user has it now.
  mended as (
    update ${t.emailAddresses} a set address = coalesce(a.address, k.address), accepted_at = k.accepted_at
    from known k
    where (k.is_forgotten or k.is_ahead) and a.lane = k.lane and a.address_key = k.address_key
  )
  select address_key, ${isSuppressedSql("known")} as is_suppressed, ${isReceiptsStoppedSql("known")} as is_receipts_stopped,
    on_the_way, ${acceptancesSince("accepted_at", "since")} as accepted_at
  from known
  union all
  select address_key, false, false, 0, '[]' from made`,
);

/**
 * What changes of an address: by how many the messages in flight rise or fall, when one was accepted, and when the mail server
 * reported that the address does not exist. `since` as above.
 */
export type AddressChange = AddressRef & {
  projectId: string;
  onTheWay: number;
  acceptedAt: number | null;
  bouncedAt: number | null;
  since: number;
};

/** Addresses that bounced just now and got mail of campaigns until then. */
const STOPPED = relation<"lane" | "address_key" | "project_id" | "reason" | "at">("stopped");

/**
 * Counts messages in flight and acceptances within the window, and stops all mail to addresses that bounced. An address may be given
 * several times.
 */
export const changeAddresses = rowsStatement<AddressChange, Record<never, never>>(
  { name: "change_addresses", reach: "key" },
  {
    lane: "int2",
    addressKey: "uuid",
    projectId: "uuid",
    onTheWay: "int4",
    acceptedAt: "int8",
    bouncedAt: "int8",
    since: "int8",
  },
  `,
  change as (
    select lane, address_key, project_id, sum(on_the_way) as on_the_way, min(since) as since, min(bounced_at) as bounced_at,
      coalesce(array_agg(accepted_at) filter (where accepted_at is not null), '{}') as accepted
    from input group by 1, 2, 3
  ),
  locked as (
    select c.*, a.suppressed_at as stopped_before from change c
    join ${t.emailAddresses} a on a.lane = c.lane and a.address_key = c.address_key and a.project_id = c.project_id
    order by a.lane, a.address_key for no key update of a
  ),
  ${STOPPED} as (
    select lane, address_key, project_id, 'bounced' as reason, bounced_at as at from locked
    where bounced_at is not null and stopped_before is null
  ),
  ${addressMessagesCte(STOPPED, "address.suppressed").ctes}
  update ${t.emailAddresses} a
  set on_the_way = a.on_the_way + h.on_the_way,
    suppressed_at = coalesce(a.suppressed_at, h.bounced_at),
    suppressed_by = case
      when h.bounced_at is not null and coalesce(a.suppressed_by, 'unsubscribed') = 'unsubscribed' then 'bounced'
      else a.suppressed_by
    end,
    receipts_stopped_at = coalesce(a.receipts_stopped_at, h.bounced_at),
    receipts_stopped_by = case when a.receipts_stopped_by is null and h.bounced_at is not null then 'bounced' else a.receipts_stopped_by end,
    accepted_at = array(select at from unnest(a.accepted_at || h.accepted) at where at > h.since order by at)
  from locked h where a.lane = h.lane and a.address_key = h.address_key`,
);

/**
 * What is known of an address. `acceptedAt`: when campaign emails were accepted for it within the window of the cap, oldest first. The stop is
 * that of campaigns.
 */
export type KnownAddress = {
  isSuppressed: boolean;
  suppressedAt: number | null;
  suppressedBy: string | null;
  acceptedAt: number[];
  onTheWay: number;
};

/** What is known of an address, without a lock; null where no mail ever left for it, and it was never suppressed. */
export async function readAddress(
  db: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  since: number,
): Promise<KnownAddress | null> {
  const { rows } = await sql<KnownAddress>`
    select ${isSuppressedSql("a")} as "isSuppressed", suppressed_at as "suppressedAt", suppressed_by as "suppressedBy", on_the_way as "onTheWay",
      ${withValue((at) => acceptancesSince("accepted_at", at), since)} as "acceptedAt"
    from ${t.emailAddresses} a where lane = ${lane} and address_key = ${addressKey} and project_id = ${projectId}`.execute(
    db,
  );
  return rows[0] ?? null;
}

type OwnAddress = AddressRef & { projectId: string };
const OWN_ADDRESS = { lane: "int2", addressKey: "uuid", projectId: "uuid" } as const;

/** Which of some addresses the project does not send campaigns to. */
export const findSuppressed = rowsStatement<OwnAddress, { address_key: string }>(
  { name: "find_suppressed", reach: "key" },
  OWN_ADDRESS,
  ` select a.address_key from input i
  join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
  where ${rowFilter(isSuppressedSql("a"))}`,
);

/** Which of some addresses the project does not send receipts to. */
export const findReceiptsStopped = rowsStatement<OwnAddress, { address_key: string }>(
  { name: "find_receipts_stopped", reach: "key" },
  OWN_ADDRESS,
  ` select a.address_key from input i
  join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
  where ${rowFilter(isReceiptsStoppedSql("a"))}`,
);

/** An address that gets no mail of campaigns since `suppressedAt` (epoch ms), or no receipts; null where it gets them. */
export type Suppression = {
  address: string | null;
  reason: string | null;
  suppressedAt: number | null;
  receiptsStoppedBy: string | null;
  receiptsStoppedAt: number | null;
};

/** Addresses that the project does not send campaigns or receipts to, newest first. */
export async function listSuppressions(db: Db, projectId: string, limit: number): Promise<Suppression[]> {
  const { rows } = await sql<Suppression>`
    select address, suppressed_by as reason, suppressed_at as "suppressedAt", receipts_stopped_by as "receiptsStoppedBy",
      receipts_stopped_at as "receiptsStoppedAt"
    from ${t.emailAddresses} a where project_id = ${projectId} and ${stoppedAtSql("a")} is not null
    order by ${stoppedAtSql("a")} desc, address_key limit ${limit}`.execute(db);
  return rows;
}
