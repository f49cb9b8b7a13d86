import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { withValue } from "../../platform/db/statements/fragment.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { isOpen } from "../campaigns/authoring/public.ts";
import { deliveryKey, deliveryRow } from "../deliveries/public.ts";
import { isOfKindSql } from "../users/identities/public.ts";
import type { Position } from "./rules.ts";

/** Events from `from` up to, and not including, `until` (epoch milliseconds), without those of users who are being erased. */
export async function countEventsBetween(
  db: Db,
  projectId: string,
  from: number,
  until: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${t.events} where project_id = ${projectId} and ts >= ${from} and ts < ${until}
      and (lane, user_key) not in (select lane, user_key from ${t.erasingUsers} where project_id = ${projectId})`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Campaigns, without templates, whose stored status is running, and those of them whose window is open at `now` (epoch ms). */
export async function countActiveCampaigns(
  db: Db,
  projectId: string,
  now: number,
): Promise<{ activeCampaigns: number; runningCampaigns: number }> {
  const open = withValue((at) => isOpen("c", at), now);
  const { rows } = await sql<{ activeCampaigns: number; runningCampaigns: number }>`
    select count(*) as "activeCampaigns", count(*) filter (where ${open}) as "runningCampaigns"
    from ${t.campaigns} c where c.project_id = ${projectId} and c.status = 'running' and c.purpose = 'marketing'`.execute(
    db,
  );
  return rows[0] ?? { activeCampaigns: 0, runningCampaigns: 0 };
}

/** Deliveries that were withheld, in all campaigns. */
export async function countWithheld(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${t.campaigns} c join ${t.withheldDeliveries} w on w.campaign_id = c.id
    where c.project_id = ${projectId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function hasDeliveries(db: Db, projectId: string): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from ${t.campaigns} c
      where c.project_id = ${projectId} and exists (select from ${t.deliveries} d where d.campaign_id = c.id)
    ) as has`.execute(db);
  return rows[0]?.has ?? false;
}

export type RecentDelivery = {
  at: number;
  userKey: string;
  externalId: string | null;
  campaignId: string;
  occasion: number;
  campaignName: string;
  variantId: string;
  variantName: string;
};

/** Deliveries after a position, newest first. It reads the newest of each campaign, for which there is an index. */
export async function listNewDeliveries(
  db: Db,
  projectId: string,
  after: Position | null,
  limit: number,
): Promise<RecentDelivery[]> {
  const before =
    after === null
      ? sql`true`
      : after.kind === "user"
        ? sql`d.queued_at < ${after.at}`
        : sql`d.queued_at <= ${after.at} and (d.queued_at, ${deliveryRow("d")})
            < (${after.at}, ${after.userKey}::uuid, ${after.campaignId}::uuid, ${after.occasion}::int4)`;
  const { rows } = await sql<RecentDelivery>`
    select d.queued_at as at, d.user_key as "userKey", u.external_id as "externalId", d.campaign_id as "campaignId", d.occasion,
      d.campaign_name as "campaignName", d.variant_id as "variantId", v.name as "variantName"
    from (
      select d.*, c.name as campaign_name
      from ${t.campaigns} c, lateral (
        select ${deliveryKey("d")}, d.variant_id, d.queued_at from ${t.deliveries} d
        where d.campaign_id = c.id and ${before}
        order by d.queued_at desc, d.user_key desc, d.occasion desc limit ${limit}
      ) d
      where c.project_id = ${projectId}
      order by d.queued_at desc, d.user_key desc, d.campaign_id desc, d.occasion desc limit ${limit}
    ) d
    join ${t.variants} v on v.id = d.variant_id
    left join ${t.users} u on u.lane = d.lane and u.user_key = d.user_key
    order by d.queued_at desc, d.user_key desc, d.campaign_id desc, d.occasion desc`.execute(db);
  return rows;
}

export type NewUser = { at: number; userKey: string; externalId: string };

/** Users, and no visitors, after a position, the newest first. */
export async function listNewUsers(
  db: Db,
  projectId: string,
  after: Position | null,
  limit: number,
): Promise<NewUser[]> {
  const before =
    after === null
      ? sql`true`
      : after.kind === "delivery"
        ? sql`first_seen_at <= ${after.at}`
        : sql`(first_seen_at, user_key) < (${after.at}, ${after.userKey}::uuid)`;
  const { rows } = await sql<NewUser>`
    select first_seen_at as at, user_key as "userKey", external_id as "externalId" from ${t.users} u
    where project_id = ${projectId} and ${isOfKindSql("u", "users")} and ${before}
    order by first_seen_at desc, user_key desc limit ${limit}`.execute(db);
  return rows;
}
