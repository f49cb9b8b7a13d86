import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { relation, rowFilter, withValue } from "../../../platform/db/statements/fragment.ts";
import { type SqlText, sqlText } from "../../../platform/db/statements/sql-text.ts";
import { rowsStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { farAheadSql } from "../../../platform/time/far-ahead.ts";
import { addressMessagesCte } from "../../webhooks/public.ts";
import type { AddressRef } from "./address-ref.ts";
import type { SuppressionReason } from "./rules.ts";

/** SQL: the address `a` does not take mail of the project any more. */
export const isSuppressedSql = (a: string): SqlText => sqlText(`${a}.suppressed_at is not null`);

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
    select a.lane, a.address_key, a.suppressed_at, a.accepted_at, a.on_the_way, i.since, i.address, i.now,
      a.address is null as is_forgotten, exists (select from unnest(a.accepted_at) at where ${farAheadSql("at", "i.now", 0)}) as is_ahead
    from input i
    join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
    order by a.lane, a.address_key for no key update of a
  ),
  known as (
    select h.lane, h.address_key, h.suppressed_at, h.on_the_way, h.since, h.address, h.is_forgotten, h.is_ahead,
      case when h.is_ahead then array(select least(at, h.now) from unnest(h.accepted_at) at order by 1) else h.accepted_at end as accepted_at
    from locked h
  ),
  -- A forgotten address was deleted with a user who was erased, and another user has it now.
  mended as (
    update ${t.emailAddresses} a set address = coalesce(a.address, k.address), accepted_at = k.accepted_at
    from known k
    where (k.is_forgotten or k.is_ahead) and a.lane = k.lane and a.address_key = k.address_key
  )
  select address_key, ${isSuppressedSql("known")} as is_suppressed, on_the_way, ${acceptancesSince("accepted_at", "since")} as accepted_at
  from known
  union all
  select address_key, false, 0, '[]' from made`,
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

/** Addresses that a statement has stopped mail to just now, or let through again. `reason` is why they get none, or got none. */
const STOPPED = relation<"lane" | "address_key" | "project_id" | "reason" | "at">("stopped");
const ALLOWED = relation<"lane" | "address_key" | "project_id" | "reason" | "at">("allowed");

/**
 * Counts messages in flight and acceptances within the window, and suppresses addresses that bounced. An address may be given several
 * times.
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
    accepted_at = array(select at from unnest(a.accepted_at || h.accepted) at where at > h.since order by at)
  from locked h where a.lane = h.lane and a.address_key = h.address_key`,
);

/** What is known of an address. `acceptedAt`: when campaign emails were accepted for it within the window of the cap, oldest first. */
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

/** Which of some addresses the project does not send to. */
export const findSuppressed = rowsStatement<AddressRef & { projectId: string }, { address_key: string }>(
  { name: "find_suppressed", reach: "key" },
  { lane: "int2", addressKey: "uuid", projectId: "uuid" },
  ` select a.address_key from input i
  join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
  where ${rowFilter(isSuppressedSql("a"))}`,
);

// Recipients may undo their own unsubscribing, so any other reason replaces that one. Otherwise the first reason stays.
const HARDENS = "a.suppressed_by = 'unsubscribed' and excluded.suppressed_by <> 'unsubscribed'";
const onSuppressed = sqlText(`
  on conflict (lane, address_key) do update
    set suppressed_at = coalesce(a.suppressed_at, excluded.suppressed_at), suppressed_by = excluded.suppressed_by
    where a.suppressed_at is null or (${HARDENS})`);

/**
 * An address to suppress. `at` is epoch milliseconds. `notAllowedSince`: an address that was let through again at this instant or later
 * stays as it is; null for one that is suppressed whatever was decided.
 */
export type Stop = AddressRef & {
  projectId: string;
  reason: SuppressionReason;
  at: number;
  notAllowedSince: number | null;
};

const STOP_COLUMNS = {
  lane: "int2",
  addressKey: "uuid",
  projectId: "uuid",
  reason: "text",
  at: "int8",
  notAllowedSince: "int8",
} as const;

/** SQL that suppresses the addresses of `input` of which `condition` is true; `a` is the address where there is one. */
const suppressSql = (condition: string): string => `,
  ${STOPPED} as (
    insert into ${t.emailAddresses} as a (lane, address_key, project_id, suppressed_at, suppressed_by)
    select distinct on (i.lane, i.address_key) i.lane, i.address_key, i.project_id, i.at, i.reason from input i
    left join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key
    where ${condition} and (i.not_allowed_since is null or a.allowed_at is null or a.allowed_at < i.not_allowed_since
      or ${farAheadSql("a.allowed_at", "i.at", 0)})
    order by i.lane, i.address_key, i.reason = 'unsubscribed', i.at
    ${onSuppressed}
    returning a.lane, a.address_key, a.project_id, a.suppressed_by as reason, a.suppressed_at as at
  ),
  ${addressMessagesCte(STOPPED, "address.suppressed").ctes}
  select`;

/** Stops all mail to addresses, from the next message on. An address may be given several times. */
export const suppressAddresses = rowsStatement<Stop, Record<never, never>>(
  { name: "suppress_addresses", reach: "key" },
  STOP_COLUMNS,
  suppressSql("true"),
);

/** The same, of addresses that mail has left for, and of no others. */
export const suppressKnownAddresses = rowsStatement<Stop, Record<never, never>>(
  { name: "suppress_known_addresses", reach: "key" },
  STOP_COLUMNS,
  suppressSql("a.project_id = i.project_id"),
);

/** An address that a file says gets no mail, since `at` (epoch milliseconds). `by` is logged as the author. */
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

/** SQL: whether a stop since `at` changes the address `a`. One that was let through since then stays so. */
const isStoppedBy = (reason: string, at: string, now: string): string => `(
    a.suppressed_at is null and (a.allowed_at is null or a.allowed_at < ${at} or ${farAheadSql("a.allowed_at", now, 0)})
    or a.suppressed_by = 'unsubscribed' and ${reason} <> 'unsubscribed'
  )`;

/** Answers the positions (from 1) of addresses of which a file changes something. */
export const findBroughtStops = rowsStatement<Omit<BroughtStop, "by">, { ord: number }>(
  { name: "find_brought_stops", reach: "key" },
  BROUGHT_COLUMNS,
  ` select i.ord::int4 from input i
  left join ${t.emailAddresses} a on a.lane = i.lane and a.address_key = i.address_key and a.project_id = i.project_id
  where a.address_key is null or ${isStoppedBy("i.reason", "i.at", "i.now")}`,
  ["now"],
);

/** Stops all mail to addresses because a file says so, each given once, and logs that. Answers the positions (from 1) of those that changed. */
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
    insert into ${t.emailAddresses} as a (lane, address_key, project_id, address, suppressed_at, suppressed_by)
    select i.lane, i.address_key, i.project_id, i.address, i.at, i.reason from input i
    where (select count(*) from known) is not null
    order by i.lane, i.address_key
    on conflict (lane, address_key) do update
      set suppressed_at = coalesce(a.suppressed_at, excluded.suppressed_at), suppressed_by = excluded.suppressed_by,
        address = coalesce(a.address, excluded.address)
      where ${isStoppedBy("excluded.suppressed_by", "excluded.suppressed_at", "(select max(now) from input)")}
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

/** Stops all mail to an address, from the next message on. Says whether anything changed. */
export async function suppressAddress(
  tx: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  stop: { reason: SuppressionReason; at: number; address?: string },
): Promise<boolean> {
  const { rows } = await sql`
    with ${STOPPED} as (
      insert into ${t.emailAddresses} as a (lane, address_key, project_id, address, suppressed_at, suppressed_by)
      values (${lane}, ${addressKey}, ${projectId}, ${stop.address ?? null}, ${stop.at}, ${stop.reason})
      ${onSuppressed}
      returning a.lane, a.address_key, a.project_id, a.suppressed_by as reason, ${stop.at}::int8 as at
    ), ${addressMessagesCte(STOPPED, "address.suppressed").ctes}
    select from ${STOPPED}`.execute(tx);
  return rows.length > 0;
}

/**
 * Allows mail to an address again, at an instant in epoch milliseconds; with a reason, only where it was suppressed for that one. Answers
 * whether it was suppressed.
 */
export async function allowAddress(
  tx: Db,
  projectId: string,
  { lane, addressKey }: AddressRef,
  { at, reason }: { at: number; reason?: SuppressionReason },
): Promise<boolean> {
  const wanted = reason === undefined ? sql`true` : sql`suppressed_by = ${reason}`;
  const { rows } = await sql`
    with before as materialized (
      select lane, address_key, project_id, suppressed_by as reason, ${at}::int8 as at from ${t.emailAddresses}
      where lane = ${lane} and address_key = ${addressKey} and project_id = ${projectId} and suppressed_at is not null and ${wanted}
      for no key update
    ), ${ALLOWED} as (
      update ${t.emailAddresses} a set suppressed_at = null, suppressed_by = null, allowed_at = b.at
      from before b where a.lane = b.lane and a.address_key = b.address_key
      returning b.*
    ), ${addressMessagesCte(ALLOWED, "address.allowed").ctes}
    select from ${ALLOWED}`.execute(tx);
  return rows.length > 0;
}

export type Suppression = { address: string | null; reason: string; suppressedAt: number };

/** Addresses that the project does not send to, newest first. */
export async function listSuppressions(db: Db, projectId: string, limit: number): Promise<Suppression[]> {
  return db
    .selectFrom("emailAddresses")
    .select(["address", "suppressedBy as reason", "suppressedAt"])
    .where("projectId", "=", projectId)
    .where("suppressedAt", "is not", null)
    .orderBy("suppressedAt", "desc")
    .orderBy("addressKey")
    .limit(limit)
    .$narrowType<{ reason: string; suppressedAt: number }>()
    .execute();
}
