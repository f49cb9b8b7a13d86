import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import type { Numbered } from "./verdict.pure.ts";

/** How many tests have a place in the order of a goal (UUID), and how many of them came to a verdict. */
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

/** A campaign under a goal: what it was given under another goal is of no use for this one. Ids are UUIDs. */
export type UnderGoal = { goalId: string; campaignId: string };

/** The tests of a campaign that have a place in the order of a goal. Variants by their UUID. */
export async function listTests(
  db: Db,
  projectId: string,
  { goalId, campaignId }: UnderGoal,
): Promise<Numbered[]> {
  const rows = await db
    .selectFrom("verdictTests")
    .select(["t", "alpha", "variantId", "controlId", "sinceEpoch", "event", "attributionDays"])
    .where("projectId", "=", projectId)
    .where("goalId", "=", goalId)
    .where("campaignId", "=", campaignId)
    .execute();
  return rows.flatMap(({ controlId, sinceEpoch, event, attributionDays, ...row }) =>
    controlId === null || sinceEpoch === null || event === null || attributionDays === null
      ? []
      : [{ ...row, controlId, sinceEpoch, event, attributionDays }],
  );
}

/** Gives tests their places. Needs the goal locked since its places were read. Variants by their UUID. */
export async function insertTests(
  db: Db,
  projectId: string,
  { goalId, campaignId }: UnderGoal,
  tests: readonly Numbered[],
): Promise<void> {
  if (tests.length === 0) return;
  await db
    .insertInto("verdictTests")
    .values(tests.map((test) => ({ ...test, goalId, projectId, campaignId })))
    .execute();
}

/** Counts the first verdict of each of these tests, by their places. */
export async function countVerdicts(
  db: Db,
  projectId: string,
  { goalId, campaignId }: UnderGoal,
  places: readonly number[],
  now: number,
): Promise<void> {
  if (places.length === 0) return;
  await db
    .updateTable("verdictTests")
    .set({ verdictAt: now })
    .where("projectId", "=", projectId)
    .where("goalId", "=", goalId)
    .where("campaignId", "=", campaignId)
    .where("t", "in", places)
    .where("verdictAt", "is", null)
    .execute();
}
