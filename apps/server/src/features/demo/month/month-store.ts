import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import type { SqlText } from "../../../platform/db/statements/sql-text.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { tryLockProjectUntilCommit } from "../../../platform/db/transactions/lock.ts";

/** The idempotency key of the run with which a month begins. */
export const MONTH_KEY = "demo-month";

/** Takes a project's month until the end of the transaction; false where another process is at it. */
export const takeMonth = (tx: Db, projectId: string): Promise<boolean> =>
  tryLockProjectUntilCommit(tx, "demoMonth", projectId);

/** Whether a project has its month. */
export async function findMonth(db: Db, projectId: string): Promise<boolean> {
  const row = await db
    .selectFrom("agentRuns")
    .select("id")
    .where("projectId", "=", projectId)
    .where("idempotencyKey", "=", MONTH_KEY)
    .executeTakeFirst();
  return row !== undefined;
}

/** How many users and campaigns a project has. */
export async function countOwn(db: Db, projectId: string): Promise<{ users: number; campaigns: number }> {
  const rows = (table: SqlText) =>
    sql<number>`(select count(*) from ${table} where project_id = ${projectId})`;
  const { rows: found } = await sql<{ users: number; campaigns: number }>`
    select ${rows(t.users)} as users, ${rows(t.campaigns)} as campaigns`.execute(db);
  return found[0] ?? { users: 0, campaigns: 0 };
}
