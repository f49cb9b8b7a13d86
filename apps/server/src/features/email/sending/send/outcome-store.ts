import type pg from "pg";
import type { DeliveryKey, DeliveryName, DeliveryRef } from "../../../../domain/ids.ts";
import { rowsStatement, valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { Reaping } from "../../../../platform/outbound/channel.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { farAheadSql } from "../../../../platform/time/far-ahead.ts";
import type { Purpose } from "../../../campaigns/authoring/rules.ts";
import { DELIVERY_COLUMNS, deliveryKey, lockedInOrder, sameDelivery } from "../../../deliveries/public.ts";
import { LEASE_MS } from "../rules.ts";

export type SendStatus =
  | "waiting"
  | "sending"
  | "accepted"
  | "unknown"
  | "failed"
  | "capped"
  | "suppressed"
  | "withdrawn";
export type OutcomeKind = "accepted" | "deferred" | "rejected" | "unknown" | "unsent";

/** The outcome of an attempt, and the next status of its send. `at` is epoch milliseconds. */
export type SendAttemptOutcome = DeliveryRef & {
  leaseOwner: string;
  /** Null where no attempt was begun. */
  ordinal: number | null;
  kind: OutcomeKind;
  code: number | null;
  response: string;
  at: number;
  status: "waiting" | "accepted" | "unknown" | "failed";
  dueAt: number | null;
};

/** A send whose outcome was recorded; `before` is its former status, `unknown` where its lease had been reaped. */
export type EndedSend = DeliveryKey & {
  /** The user key that the outcome named. `userKey` is another one where the user was erased while the message was in flight. */
  cameAs: string;
  before: SendStatus;
  addressLane: number;
  addressKey: string;
};

/**
 * Records outcomes of attempts, and moves their sends. Only the current attempt counts, in flight or reaped as unknown. A message
 * that was leased and has no attempt is released without an outcome. The send of a user who was erased meanwhile is found by
 * `moved_from`, and the server's response, which may name the user, is not kept.
 */
export const writeOutcomes = rowsStatement<SendAttemptOutcome, EndedSend>(
  { name: "write_email_outcomes", reach: "lane" },
  {
    ...DELIVERY_COLUMNS,
    leaseOwner: "uuid",
    ordinal: "int2",
    kind: "text",
    code: "int2",
    response: "text",
    at: "int8",
    status: "text",
    dueAt: "int8",
  },
  `,
  -- Materialized, so that sends are looked up by the key that it finds: merged into the join, it reads all of a lane for each outcome.
  found as materialized (
    select i.lane, coalesce(m.user_key, i.user_key) as user_key, i.campaign_id, i.occasion, i.user_key as came_as, i.project_id,
      i.lease_owner, i.ordinal, i.kind, i.code, case when m.user_key is null then i.response else '' end as response, i.at, i.status,
      i.due_at
    from input i
    left join ${t.emailSends} m on m.moved_from = i.user_key and ${sameDelivery("m", "i", ["lane", "campaign_id", "occasion"])}
  ),
  locked as (
    select i.*, s.status as before, s.address_lane, s.address_key
    from found i
    join ${t.emailSends} s on ${sameDelivery("s", "i")}
    where s.lease_owner = i.lease_owner and case
      when i.ordinal is null then s.status = 'sending' and not s.begun
      else s.begun and s.attempts = i.ordinal and s.status in ('sending', 'unknown')
    end
    ${lockedInOrder("s")}
  ),
  written as (
    insert into ${t.emailOutcomes} (${deliveryKey()}, ordinal, project_id, kind, at, code, response)
    select ${deliveryKey()}, ordinal, project_id, kind::email_outcome_kind, at, code, nullif(response, '')
    from locked
    where ordinal is not null
    on conflict do nothing
  )
  update ${t.emailSends} s
  -- A report or a click may have proved that the message arrived before its lease was reaped.
  set status = case
      when h.status = 'unknown' and exists (
        select from ${t.deliveries} d
        where ${sameDelivery("d", "h")} and d.sent_at is not null
      ) then 'accepted'
      else h.status::email_send_status
    end, due_at = coalesce(h.due_at, s.due_at), leased_until = null, moved_from = null,
    deferrals = s.deferrals + (h.kind = 'deferred')::int,
    reason = case h.status when 'accepted' then null else nullif(h.response, '') end
  from locked h
  where ${sameDelivery("s", "h")}
  returning s.lane, s.user_key as "userKey", s.campaign_id as "campaignId", s.occasion, h.came_as as "cameAs", h.before,
    h.address_lane as "addressLane", h.address_key as "addressKey"`,
);

/** A lease that ended, or whose process is gone, without an outcome. `ordinal`: of its attempt, null where none was begun. */
export type LostAttempt = DeliveryRef & {
  leaseOwner: string;
  ordinal: number | null;
};

/** A process that is not sending a message this long after leasing it never got the database's answer to the lease. */
const FORGOTTEN_AFTER_MS = 30 * SECOND_MS;

type Losing = Pick<Reaping<unknown>, "now" | "reapable" | "leaseOwner" | "isLeasing" | "busy" | "limit"> & {
  /** Leases that end after this may not be known to this process yet. */
  forgottenUntil: number;
  userKeys: readonly string[];
  campaignIds: readonly string[];
  occasions: readonly number[];
  purpose: Purpose;
};

const findLostRows = valuesStatement<Losing, LostAttempt>(
  { name: "find_lost_attempts", reach: "all lanes" },
  {
    now: "int8",
    reapable: "uuid",
    leaseOwner: "uuid",
    isLeasing: "bool",
    forgottenUntil: "int8",
    userKeys: "uuid[]",
    campaignIds: "uuid[]",
    occasions: "int4[]",
    limit: "int4",
    busy: "uuid[]",
    purpose: "text",
  },
  ({
    now,
    reapable,
    leaseOwner,
    isLeasing,
    forgottenUntil,
    userKeys,
    campaignIds,
    occasions,
    limit,
    busy,
    purpose,
  }) => `
  select lane, user_key as "userKey", campaign_id as "campaignId", occasion, project_id as "projectId",
    lease_owner as "leaseOwner", case when begun then attempts end as ordinal
  from ${t.emailSends} s
  where status = 'sending' and case when lease_owner = ${leaseOwner} then
    (leased_until < ${forgottenUntil} or (not ${isLeasing} and ${farAheadSql("leased_until", now, LEASE_MS)})) and not exists (
      select from unnest(${userKeys}, ${campaignIds}, ${occasions}) as sending (user_key, campaign_id, occasion)
      where sending.user_key = coalesce(s.moved_from, s.user_key) and ${sameDelivery("sending", "s", ["campaign_id", "occasion"])}
    ) else
    (leased_until < ${now} or lease_owner <> ${reapable}) and not exists (select from ${t.processes} p where p.lease_owner = s.lease_owner)
    end and s.project_id <> all(${busy})
    and exists (select from ${t.campaigns} c where c.id = s.campaign_id and c.purpose = ${purpose}) limit ${limit}`,
);

/**
 * Lost leases of all projects, of mail for a purpose: those of owners that no process has, which ended before `now`, or all of them with `reapable`; and those of
 * this process that it is not sending and has not just leased.
 */
export function findLostAttemptsAcrossProjects(
  pool: pg.Pool,
  { now, reapable, leaseOwner, inFlight, isLeasing, busy, limit }: Reaping<DeliveryName>,
  purpose: Purpose = "marketing",
): Promise<LostAttempt[]> {
  return findLostRows(pool, {
    now,
    reapable,
    leaseOwner,
    isLeasing,
    busy,
    limit,
    purpose,
    forgottenUntil: now + LEASE_MS - FORGOTTEN_AFTER_MS,
    userKeys: inFlight.map(({ userKey }) => userKey),
    campaignIds: inFlight.map(({ campaignId }) => campaignId),
    occasions: inFlight.map(({ occasion }) => occasion),
  });
}
