import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";

/** Notes that a key stands for somebody who was erased. `at` is epoch milliseconds. */
export async function insertErasedUser(tx: Db, projectId: string, ghost: UserRef, at: number): Promise<void> {
  await tx
    .insertInto("erasedUsers")
    .values({ ...ghost, projectId, erasedAt: at })
    .execute();
}

/**
 * Notes that events are left under the key of somebody who was erased. Until they are deleted nobody is made under that key
 * (`refuse_while_erasing`), so that all events there are are those. `at` is epoch milliseconds.
 */
export async function insertErasingUser(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  at: number,
): Promise<void> {
  await tx.insertInto("erasingUsers").values({ lane, userKey, projectId, erasedAt: at }).execute();
}

/** Somebody of whom events are left. */
export type ErasingUser = UserRef & { projectId: string };

/** Holds one of those of whom events are left until the transaction ends, the first erased first; whoever else asks gets another. */
export async function holdErasingUserAcrossProjects(
  tx: Db,
  projectId: string | null,
): Promise<ErasingUser | null> {
  const { rows } = await sql<ErasingUser>`
    select lane, user_key as "userKey", project_id as "projectId" from erasing_users
    where ${projectId === null ? sql`true` : sql`project_id = ${projectId}`}
    order by erased_at limit 1 for update skip locked`.execute(tx);
  return rows[0] ?? null;
}

/** Whether events are left of anybody. */
export async function areErasingAcrossProjects(db: Db): Promise<boolean> {
  const { rows } = await sql<{ are: boolean }>`select exists (select from erasing_users) as are`.execute(db);
  return rows[0]?.are ?? false;
}

/** Of somebody nothing is left: their id is free. */
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
    select count(*) as count from erasing_users where project_id = ${projectId}`.execute(db);
  return rows[0]?.count ?? 0;
}
