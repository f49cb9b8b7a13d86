import { sql } from "kysely";
import { type DeliveryKey, deliveryId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";

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

/** The oldest first. */
export async function listUnknownSends(db: Db, projectId: string, limit: number): Promise<UnknownSend[]> {
  const { rows } = await sql<Omit<UnknownSend, "deliveryId"> & { userKey: string }>`
    select s.user_key as "userKey", c.id as "campaignId", c.name as "campaignName", u.external_id as "externalUserId",
      a.address, t.started_at as "attemptedAt", s.reason
    from campaigns c
    join email_sends s on s.campaign_id = c.id and s.status = 'unknown'
    join email_attempts t
      on t.lane = s.lane and t.user_key = s.user_key and t.campaign_id = s.campaign_id and t.ordinal = s.attempts
    left join users u on u.lane = s.lane and u.user_key = s.user_key
    left join email_addresses a on a.lane = s.address_lane and a.address_key = s.address_key
    where c.project_id = ${projectId} order by t.started_at, s.user_key limit ${limit}`.execute(db);
  return rows.map(({ userKey, ...row }) => ({ deliveryId: deliveryId(userKey, row.campaignId), ...row }));
}

/** How many messages of a project are unknown, counted up to `most`. */
export async function countUnknownSends(db: Db, projectId: string, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from campaigns c join email_sends s on s.campaign_id = c.id and s.status = 'unknown'
      where c.project_id = ${projectId} limit ${most}
    ) unknown`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The state of a send, that of its campaign, and whether its user still exists; null where there is no such send. */
export async function findSendState(
  db: Db,
  projectId: string,
  { lane, userKey, campaignId }: DeliveryKey,
): Promise<{ status: string; campaignStatus: string; hasUser: boolean } | null> {
  const { rows } = await sql<{ status: string; campaignStatus: string; hasUser: boolean }>`
    select s.status, c.status as "campaignStatus",
      exists (select from users u where u.lane = s.lane and u.user_key = s.user_key) as "hasUser"
    from email_sends s join campaigns c on c.id = s.campaign_id
    where s.lane = ${lane} and s.user_key = ${userKey} and s.campaign_id = ${campaignId}
      and s.project_id = ${projectId}`.execute(db);
  return rows[0] ?? null;
}

/** Queues an unknown message again, because a person decided it. False where the message is not unknown, or cannot be sent again. */
export async function resendUnknown(
  tx: Db,
  projectId: string,
  { lane, userKey, campaignId }: DeliveryKey,
  decision: { by: string; at: number },
): Promise<boolean> {
  const { rows } = await sql`
    with resent as (
      update email_sends s set status = 'waiting', due_at = ${decision.at}, reason = null
      where s.lane = ${lane} and s.user_key = ${userKey} and s.campaign_id = ${campaignId}
        and s.project_id = ${projectId} and s.status = 'unknown'
        and exists (select from campaigns c where c.id = s.campaign_id and c.status <> 'ended')
        and exists (select from users u where u.lane = s.lane and u.user_key = s.user_key)
      returning s.*
    )
    insert into email_resends (lane, user_key, campaign_id, ordinal, project_id, decided_by, decided_at)
    select lane, user_key, campaign_id, attempts, project_id, ${decision.by}, ${decision.at} from resent
    returning true`.execute(tx);
  return rows.length > 0;
}
