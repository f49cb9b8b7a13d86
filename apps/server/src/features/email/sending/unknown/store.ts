import { sql } from "kysely";
import { type DeliveryKey, type DeliveryName, type DeliveryRef, deliveryId } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { rowFilter } from "../../../../platform/db/statements/fragment.ts";
import { rowsStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import {
  DELIVERY_COLUMNS,
  type DeliveryRow,
  deliveryKey,
  deliveryRow,
  isDelivery,
  lockedInOrder,
  onDelivery,
  sameDelivery,
} from "../../../deliveries/public.ts";

/** A message that was handed over without a reply, so that it may have arrived. `attemptedAt` is epoch milliseconds. */
export type UnknownSend = {
  deliveryId: string;
  campaignId: string;
  campaignName: string;
  externalUserId: string | null;
  address: string | null;
  attemptedAt: number;
  reason: string | null;
};

/** How many messages of a project are unknown. @param most how far they are counted; all where it is left out */
export async function countUnknownSends(
  db: Db,
  projectId: string,
  most: number | null = null,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from ${t.campaigns} c cross join lateral (
        select from ${t.emailSends} s where s.campaign_id = c.id and s.status = 'unknown' limit ${most}::int8
      ) s
      where c.project_id = ${projectId} limit ${most}::int8
    ) unknown`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The state of a send, that of its campaign, and whether its user still exists; null where there is no such send. */
export async function findSendState(
  db: Db,
  projectId: string,
  delivery: DeliveryKey,
): Promise<{ status: string; campaignStatus: string; hasUser: boolean } | null> {
  const { rows } = await sql<{ status: string; campaignStatus: string; hasUser: boolean }>`
    select s.status, c.status as "campaignStatus",
      exists (select from ${t.users} u where u.lane = s.lane and u.user_key = s.user_key) as "hasUser"
    from ${t.emailSends} s join ${t.campaigns} c on c.id = s.campaign_id
    where ${isDelivery("s", projectId, delivery)}`.execute(db);
  return rows[0] ?? null;
}

/** Queues an unknown message again, because a person decided it. False where the message is not unknown, or cannot be sent again. */
export async function resendUnknown(
  tx: Db,
  projectId: string,
  delivery: DeliveryKey,
  decision: { by: string; at: number },
): Promise<boolean> {
  const { rows } = await sql`
    with resent as (
      update ${t.emailSends} s set status = 'waiting', due_at = ${decision.at}, reason = null
      where ${isDelivery("s", projectId, delivery)} and s.status = 'unknown'
        and exists (select from ${t.campaigns} c where c.id = s.campaign_id and c.status <> 'ended')
        and exists (select from ${t.users} u where u.lane = s.lane and u.user_key = s.user_key)
      returning s.*
    )
    insert into ${t.emailResends} (${deliveryKey()}, ordinal, project_id, decided_by, decided_at)
    select ${deliveryKey()}, attempts, project_id, ${decision.by}, ${decision.at} from resent
    returning true`.execute(tx);
  return rows.length > 0;
}

/** An unknown message as people decide about it. */
export type QueuedUnknown = UnknownSend & {
  campaignStatus: string;
  /** How often it was handed over. */
  attempts: number;
  /** When mail of its stream to the address was stopped, epoch milliseconds: what is sent again would not leave. */
  suppressedAt: number | null;
  /** The person who had it sent again last, and when (epoch milliseconds); null where it was handed over once. */
  resentBy: string | null;
  resentAt: number | null;
};

/** The unknown messages of a project, those that were handed over first before the others. Counts and rows of one snapshot. */
export async function pageOfUnknownSends(
  db: Db,
  projectId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: QueuedUnknown[]; total: number }> {
  const { rows } = await sql<Omit<QueuedUnknown, "deliveryId"> & DeliveryName & { total: number }>`
    select s.user_key as "userKey", s.occasion, c.id as "campaignId", c.name as "campaignName", c.status as "campaignStatus",
      u.external_id as "externalUserId", a.address,
      case when c.purpose = 'transactional' then a.receipts_stopped_at else a.suppressed_at end as "suppressedAt", t.started_at as "attemptedAt", s.reason,
      s.attempts, r.decided_by as "resentBy", r.decided_at as "resentAt", count(*) over () as total
    from ${t.campaigns} c
    join ${t.emailSends} s on s.campaign_id = c.id and s.status = 'unknown'
    join ${t.emailAttempts} t on ${sameDelivery("t", "s")} and t.ordinal = s.attempts
    left join ${t.users} u on u.lane = s.lane and u.user_key = s.user_key
    left join ${t.emailAddresses} a on a.lane = s.address_lane and a.address_key = s.address_key
    left join lateral (
      select r.decided_by, r.decided_at from ${t.emailResends} r
      where ${sameDelivery("r", "s")} order by r.ordinal desc limit 1
    ) r on true
    where c.project_id = ${projectId} order by t.started_at, s.user_key, s.campaign_id, s.occasion offset ${offset} limit ${limit}`.execute(
    db,
  );
  const total = rows[0]?.total ?? (offset === 0 ? 0 : await countUnknownSends(db, projectId));
  return {
    rows: rows.map(({ userKey, occasion, total: _, ...row }) => ({
      deliveryId: deliveryId({ userKey, occasion, ...row }),
      ...row,
    })),
    total,
  };
}

/**
 * Locks messages of a project that are unknown, each given once, in the order in which all lock them. `left_at`: when it was handed over
 * last, epoch milliseconds.
 */
export const lockUnknown = rowsStatement<DeliveryRef, DeliveryRow & { left_at: number; has_user: boolean }>(
  { name: "lock_unknown_of_project", reach: "key" },
  DELIVERY_COLUMNS,
  ` select ${deliveryRow("s")}, (
    select max(a.started_at) from ${t.emailAttempts} a where ${sameDelivery("a", "s")}
  ) as left_at, exists (select from ${t.users} u where u.lane = s.lane and u.user_key = s.user_key) as has_user
  from input i
  join ${t.emailSends} s on ${onDelivery("s", "i")} and ${rowFilter("s.status = 'unknown'")}
  ${lockedInOrder("s")}`,
);
