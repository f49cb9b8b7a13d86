import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { UserRef } from "../../platform/ids.ts";

/** Notes that a key stands for somebody who was erased. `at` is epoch milliseconds. */
export async function insertErasedUser(tx: Db, projectId: string, ghost: UserRef, at: number): Promise<void> {
  await tx
    .insertInto("erasedUsers")
    .values({ ...ghost, projectId, erasedAt: at })
    .execute();
}

/** Erased users of whom more is left than deliveries, frozen events and having been active. */
export async function countHalfErasedAcrossProjects(db: Db): Promise<number> {
  const has = (table: string) =>
    sql`exists (select from ${sql.table(table)} t where t.lane = g.lane and t.user_key = g.user_key)`;
  const { rows } = await sql<{ differences: number }>`
    select count(*) as differences from erased_users g
    where ${has("users")} or ${has("events")} or ${has("event_counts")} or ${has("feedback_receipts")}`.execute(
    db,
  );
  return rows[0]?.differences ?? 0;
}
