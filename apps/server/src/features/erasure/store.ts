import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** Records the key of an anonymised user, who may have been a visitor alone. `at` is epoch milliseconds. */
export async function insertErasedUser(
  tx: Db,
  projectId: string,
  anonymised: UserRef,
  { at, wasVisitor }: { at: number; wasVisitor: boolean },
): Promise<void> {
  await tx
    .insertInto("erasedUsers")
    .values({ ...anonymised, projectId, erasedAt: at, wasVisitor })
    .execute();
}

/**
 * Records that events of an erased user are left. Until they are deleted, no user can be created under that key
 * (`refuse_while_erasing`), so that every event there belongs to the erased user. `at` is epoch milliseconds.
 */
export async function insertErasingUser(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  at: number,
): Promise<void> {
  await tx.insertInto("erasingUsers").values({ lane, userKey, projectId, erasedAt: at }).execute();
}

/** An erased user of whom events are left. */
export type ErasingUser = UserRef & { projectId: string };

/** Locks the erased user who waits longest for their events to be deleted. Another process skips this user and locks the next one. */
export async function lockErasingUserAcrossProjects(
  tx: Db,
  projectId: string | null,
): Promise<ErasingUser | null> {
  const { rows } = await sql<ErasingUser>`
    select lane, user_key as "userKey", project_id as "projectId" from ${t.erasingUsers}
    where ${projectId === null ? sql`true` : sql`project_id = ${projectId}`}
    order by erased_at limit 1 for update skip locked`.execute(tx);
  return rows[0] ?? null;
}

/** Whether events of any erased user are left. */
export async function areErasingAcrossProjects(db: Db): Promise<boolean> {
  const { rows } = await sql<{ are: boolean }>`select exists (select from ${t.erasingUsers}) as are`.execute(
    db,
  );
  return rows[0]?.are ?? false;
}

/** Records that all events of an erased user are deleted: a new user may have the id. */
export async function deleteErasingUser(tx: Db, { lane, userKey, projectId }: ErasingUser): Promise<void> {
  await tx
    .deleteFrom("erasingUsers")
    .where("lane", "=", lane)
    .where("userKey", "=", userKey)
    .where("projectId", "=", projectId)
    .execute();
}

/** How many users of a project have events left. */
export async function countErasingUsers(db: Db, projectId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${t.erasingUsers} where project_id = ${projectId}`.execute(db);
  return rows[0]?.count ?? 0;
}
