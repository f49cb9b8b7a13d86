import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";

/**
 * Adds bytes to what the keys of a project have written on a day (UTC, days since 1970); answers how many they are by now. Others of the
 * project wait until this transaction ends. A request that began before midnight counts for the day that has begun since.
 */
export async function addToDay(db: Db, projectId: string, day: number, bytes: number): Promise<number> {
  const row = await db
    .insertInto("agentRunDays")
    .values({ projectId, day, bytes })
    .onConflict((conflict) =>
      conflict.column("projectId").doUpdateSet({
        day: sql<number>`greatest(agent_run_days.day, excluded.day)`,
        bytes: sql<number>`case when excluded.day > agent_run_days.day then 0 else agent_run_days.bytes end + excluded.bytes`,
      }),
    )
    .returning("bytes")
    .executeTakeFirstOrThrow();
  return row.bytes;
}
