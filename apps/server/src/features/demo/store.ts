import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";

export type DemoShop = { projectId: string; publishableKey: string };

const SHOP_LOCK = 7_403_003;

/** Until the transaction ends, no other one makes the shop. */
export async function lockShop(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${SHOP_LOCK})`.execute(tx);
}

/** The project of the demo, with a key that works; null before the first visit. */
export async function findShopAcrossProjects(db: Db): Promise<DemoShop | null> {
  const row = await db
    .selectFrom("demoShop")
    .innerJoin("apiKeys", "apiKeys.projectId", "demoShop.projectId")
    .select(["demoShop.projectId", "apiKeys.publishableToken as publishableKey"])
    .where("apiKeys.kind", "=", "publishable")
    .where("apiKeys.expiresAt", "is", null)
    .$narrowType<{ publishableKey: string }>()
    .executeTakeFirst();
  return row ?? null;
}

export async function insertShop(db: Db, projectId: string): Promise<void> {
  await db.insertInto("demoShop").values({ projectId }).execute();
}

export type CampaignNumbers = {
  name: string;
  shown: number;
  clicked: number;
  dismissed: number;
  converted: number;
};

/** What came of the campaigns of the shop; the one with the goal first. */
export async function countShopCampaigns(db: Db, projectId: string): Promise<CampaignNumbers[]> {
  const { rows } = await sql<CampaignNumbers>`
    select c.name, s.* from campaigns c, lateral (
      select coalesce(sum(shown), 0)::int8 as shown, coalesce(sum(clicked), 0)::int8 as clicked,
        coalesce(sum(dismissed), 0)::int8 as dismissed, coalesce(sum(converted), 0)::int8 as converted
      from campaign_stats where campaign_id = c.id and project_id = c.project_id
    ) s
    where c.project_id = ${projectId} order by c.goal_id is null, c.created_at, c.id`.execute(db);
  return rows;
}
