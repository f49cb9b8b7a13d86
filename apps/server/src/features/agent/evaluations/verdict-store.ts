import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { alphaOf } from "./rules.ts";

/** How many treatments have a place in the order of a goal (UUID), and about how many of them a verdict was given. */
export async function readVerdictCounts(
  db: Db,
  projectId: string,
  goalId: string,
): Promise<{ last: number; verdicts: number }> {
  return db
    .selectFrom("verdictTests")
    .select([
      sql<number>`coalesce(max(t), 0)`.as("last"),
      sql<number>`count(*) filter (where verdict_at is not null)`.as("verdicts"),
    ])
    .where("projectId", "=", projectId)
    .where("goalId", "=", goalId)
    .executeTakeFirstOrThrow();
}

/**
 * Gives each treatment of a campaign that has none yet under this goal the next place in its order, and with it how sure a verdict about
 * it has to be. `budget` is the goal's share of false verdicts. Needs the goal locked.
 */
export async function numberTreatments(
  db: Db,
  projectId: string,
  { goalId, campaignId, budget }: { goalId: string; campaignId: string; budget: number },
): Promise<void> {
  const { rows: treatments } = await sql<{ id: string }>`
    select v.id from variants v
    where v.campaign_id = ${campaignId} and v.project_id = ${projectId} and not v.is_control
      and not exists (select from verdict_tests t 
        where t.goal_id = ${goalId} and t.campaign_id = v.campaign_id and t.variant_id = v.id)
    order by v.position`.execute(db);
  if (treatments.length === 0) return;
  const { last, verdicts } = await readVerdictCounts(db, projectId, goalId);
  await db
    .insertInto("verdictTests")
    .values(
      treatments.map(({ id }, index) => {
        const t = last + index + 1;
        return { goalId, t, projectId, campaignId, variantId: id, alpha: alphaOf(budget, t, verdicts) };
      }),
    )
    .execute();
}

/** A campaign under a goal: what it was given under another goal is of no use for this one. Ids are UUIDs. */
type UnderGoal = { goalId: string; campaignId: string };

/** The chance of a false verdict that each treatment of a campaign may have under a goal, by the UUID of the variant. */
export async function readAlphas(
  db: Db,
  projectId: string,
  { goalId, campaignId }: UnderGoal,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("verdictTests")
    .select(["variantId", "alpha"])
    .where("projectId", "=", projectId)
    .where("goalId", "=", goalId)
    .where("campaignId", "=", campaignId)
    .execute();
  return new Map(rows.map(({ variantId, alpha }) => [variantId, alpha]));
}

/** Counts the first verdict about each of these treatments. */
export async function countVerdicts(
  db: Db,
  projectId: string,
  { goalId, campaignId }: UnderGoal,
  variantIds: readonly string[],
  now: number,
): Promise<void> {
  if (variantIds.length === 0) return;
  await db
    .updateTable("verdictTests")
    .set({ verdictAt: now })
    .where("projectId", "=", projectId)
    .where("goalId", "=", goalId)
    .where("campaignId", "=", campaignId)
    .where("variantId", "in", variantIds)
    .where("verdictAt", "is", null)
    .execute();
}
