import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { BACK_IN_STOCK, FIRST_ORDERS } from "./names.pure.ts";

export type DemoShop = { projectId: string; publishableKey: string };

/** The project of the demo and its publishable key; null before the first visit. */
export async function findShopAcrossProjects(db: Db): Promise<DemoShop | null> {
  const row = await db
    .selectFrom("demoShop")
    .innerJoin("apiKeys", "apiKeys.projectId", "demoShop.projectId")
    .select(["demoShop.projectId", "apiKeys.publishableToken as publishableKey"])
    .where("apiKeys.kind", "=", "publishable")
    .where("apiKeys.expiresAt", "is", null)
    .orderBy("apiKeys.createdAt", "desc")
    .limit(1)
    .$narrowType<{ publishableKey: string }>()
    .executeTakeFirst();
  return row ?? null;
}

export async function insertShop(db: Db, projectId: string): Promise<void> {
  await db.insertInto("demoShop").values({ projectId }).execute();
}

/** Visitors of the shop who left an address. */
export async function countReaders(db: Db, projectId: string): Promise<number> {
  const { count } = await db
    .selectFrom("users")
    .select(sql<number>`count(*)`.as("count"))
    .where("projectId", "=", projectId)
    .where(sql<boolean>`traits ? 'email'`)
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether a project is the demo shop. */
export async function isShop(db: Db, projectId: string): Promise<boolean> {
  const row = await db
    .selectFrom("demoShop")
    .select("projectId")
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The goal of the shop itself, not those of its experiment and its month. */
export async function findShopGoal(db: Db, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom("goals")
    .select("id")
    .where("projectId", "=", projectId)
    .where("name", "=", FIRST_ORDERS)
    .orderBy("createdAt")
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The campaign that pushes to phones; null before the first phone. */
export async function findPhoneCampaign(db: Db, projectId: string): Promise<string | null> {
  const row = await db
    .selectFrom("campaigns")
    .select("id")
    .where("projectId", "=", projectId)
    .where("channel", "=", "push")
    .where("name", "=", BACK_IN_STOCK)
    .orderBy("createdAt")
    .executeTakeFirst();
  return row?.id ?? null;
}
