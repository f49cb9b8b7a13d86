import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import type { TokenPrices } from "./prices.pure.ts";
import { monthOf, type Sums } from "./rules.ts";
import type { Call } from "./schema.ts";

/** What a run of the agent cost, under the id that the agent gave it. */
export type CreditUsage = { executionId: string; credits: number; costMicros: number };

/** The usage that was recorded under an id, or null. */
export async function findUsage(db: Db, projectId: string, executionId: string): Promise<CreditUsage | null> {
  const row = await db
    .selectFrom("aiUsage")
    .select(["executionId", "credits", "costMicros"])
    .where("projectId", "=", projectId)
    .where("executionId", "=", executionId)
    .executeTakeFirst();
  return row ?? null;
}

type NewUsage = CreditUsage & {
  model: string | null;
  sessionId: string | null;
  calls: readonly Call[];
  prices: readonly TokenPrices[];
  sums: Sums;
  /** The UUID of its billing report. */
  reportId: string;
  now: number;
};

/** Records usage and its billing report; false when the id has one already. A concurrent duplicate waits for the first to commit. */
export async function insertUsage(tx: Db, projectId: string, usage: NewUsage): Promise<boolean> {
  const { calls, prices, sums, reportId, now, ...row } = usage;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("aiUsage")
    .values({
      ...row,
      ...sums,
      projectId,
      calls: JSON.stringify(calls),
      prices: JSON.stringify(prices),
      recordedAt: now,
    })
    .onConflict((conflict) => conflict.columns(["projectId", "executionId"]).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n) return false;
  const { executionId, credits } = row;
  await tx
    .insertInto("aiBillingReports")
    .values({ id: reportId, projectId, executionId, credits, createdAt: now })
    .execute();
  return true;
}

/** Credits that a project has used in the UTC month of `now` (epoch ms). */
export async function creditsUsed(db: Db, projectId: string, now: number): Promise<number> {
  const { start, end } = monthOf(now);
  const { used } = await db
    .selectFrom("aiUsage")
    .select(sql<number>`coalesce(sum(credits), 0)::bigint`.as("used"))
    .where("projectId", "=", projectId)
    .where("recordedAt", ">=", start)
    .where("recordedAt", "<", end)
    .executeTakeFirstOrThrow();
  return used;
}

/** What the models of a project used in a UTC month. */
export type ModelUsage = {
  model: string | null;
  runs: number;
  credits: number;
  costMicros: number;
  inputTokens: number;
  outputTokens: number;
};

/** What each model of a project used in the UTC month of `now` (epoch ms), the most credits first. */
export async function usageOfMonth(
  db: Db,
  projectId: string,
  now: number,
  limit: number,
): Promise<{ since: number; models: ModelUsage[] }> {
  const { start, end } = monthOf(now);
  const sum = (column: string) => sql<number>`sum(${sql.ref(column)})::bigint`;
  const models = await db
    .selectFrom("aiUsage")
    .select([
      "model",
      sql<number>`count(*)`.as("runs"),
      sum("credits").as("credits"),
      sum("costMicros").as("costMicros"),
      sum("inputTokens").as("inputTokens"),
      sum("outputTokens").as("outputTokens"),
    ])
    .where("projectId", "=", projectId)
    .where("recordedAt", ">=", start)
    .where("recordedAt", "<", end)
    .groupBy("model")
    .orderBy("credits", "desc")
    .orderBy("model")
    .limit(limit)
    .execute();
  return { since: start, models };
}
