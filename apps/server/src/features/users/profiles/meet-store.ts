import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { relation } from "../../../platform/db/statements/fragment.ts";
import { insertMissingUsersCte, type UserRow } from "./store.ts";

const MET = relation<"lane" | "user_key" | "project_id" | "external_id" | "ts">("met");

/** Makes a user who is not known, without traits and not counted as active, and has them stay until the transaction ends. */
export async function meetUser(
  db: Db,
  {
    projectId,
    lane,
    userKey,
    externalId,
    now,
  }: UserRef & { projectId: string; externalId: string; now: number },
): Promise<void> {
  const missing = insertMissingUsersCte(MET);
  await sql`
    with ${MET} as (
      select ${lane}::int2 as lane, ${userKey}::uuid as user_key, ${projectId}::uuid as project_id, ${externalId}::text as external_id,
        ${now}::int8 as ts
    ), ${missing.ctes}
    select count(*) from ${missing.missingUsers} where ${missing.noErasureRuns}`.execute(db);
}

/** A user who stays until the transaction ends; null where the project has none with this key. */
export async function keepUser(
  db: Db,
  projectId: string,
  { lane, userKey }: UserRef,
): Promise<UserRow | null> {
  const row = await db
    .selectFrom("users")
    .selectAll()
    .where("lane", "=", lane)
    .where("userKey", "=", userKey)
    .where("projectId", "=", projectId)
    .forKeyShare()
    .executeTakeFirst();
  return row ?? null;
}
