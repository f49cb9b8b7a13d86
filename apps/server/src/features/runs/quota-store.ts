import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/**
 * Adds bytes to what the keys of a project have written on a day (UTC, days since 1970); answers how many they are by now. Others of the
 * project wait until this transaction ends. A request that began before midnight counts for the day that has begun since. A day further
 * ahead is one of a clock that was ahead, and over.
 */
export async function addToDay(db: Db, projectId: string, day: number, bytes: number): Promise<number> {
  const isTheirs = sql<boolean>`${t.agentRunDays}.day between excluded.day and excluded.day + 1`;
  const row = await db
    .insertInto("agentRunDays")
    .values({ projectId, day, bytes })
    .onConflict((conflict) =>
      conflict.column("projectId").doUpdateSet({
        day: sql<number>`case when ${isTheirs} then ${t.agentRunDays}.day else excluded.day end`,
        bytes: sql<number>`case when ${isTheirs} then ${t.agentRunDays}.bytes else 0 end + excluded.bytes`,
      }),
    )
    .returning("bytes")
    .executeTakeFirstOrThrow();
  return row.bytes;
}
