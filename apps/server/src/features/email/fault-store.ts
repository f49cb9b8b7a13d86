import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";

/** Why a campaign that fails by itself stands still. What it failed with may tell of more than its own people may know. */
export const CAMPAIGN_FAULT =
  "A message of this campaign cannot be written or claimed. It is tried again; the log of the server says more.";
/** Why nobody new is found for a campaign. */
export const PLAN_FAULT =
  "Looking through the audience failed. It is tried again; the log of the server says more.";

/** Keeps, or forgets, why the sending of campaigns stands still. What planning says is forgotten when planning succeeds. */
export async function setFault(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
  fault: string | null,
  now: number,
): Promise<void> {
  if (campaignIds.length === 0) return;
  await db
    .updateTable("emailPlans")
    .set({ fault, faultAt: fault === null ? null : now })
    .where("projectId", "=", projectId)
    .where("campaignId", "in", campaignIds)
    .where("fault", "is distinct from", fault)
    .$if(fault === null, (query) => query.where("fault", "!=", PLAN_FAULT))
    .execute();
}

/** What is left of a fault once planning succeeded. */
export const withoutPlanFault: { fault: RawBuilder<string | null>; faultAt: RawBuilder<number | null> } = {
  fault: sql`nullif(fault, ${PLAN_FAULT})`,
  faultAt: sql`case when fault <> ${PLAN_FAULT} then fault_at end`,
};

/** Puts a plan off that failed, and says so where nothing else is said yet. */
export async function postponePlan(
  db: Db,
  projectId: string,
  campaignId: string,
  { now, until }: { now: number; until: number },
): Promise<void> {
  await db
    .updateTable("emailPlans")
    .set({
      nextPassAt: until,
      fault: sql<string>`coalesce(fault, ${PLAN_FAULT})`,
      faultAt: sql<number>`coalesce(fault_at, ${now})`,
    })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
}
