import { sql } from "kysely";
import type { Db } from "../../db/db.ts";
import { t } from "../../db/statements/table-names.ts";
import { DAY_MS } from "../../time/clock.ts";

/** A key of a project, and the request that uses it. `digest`: of the address and the body of the request. */
export type UsedKey = { projectId: string; key: string; operation: string; digest: string };

/** The answer that a key keeps, as it is stored. */
export type KeptAnswer = { status: number; body: string };

/**
 * Takes a key if it is free, or was taken until `freeFrom` (epoch ms); false where another request has it. `reserved`: the effect leaves the
 * database.
 */
export async function takeKey(
  db: Db,
  { projectId, key, operation, digest }: UsedKey,
  { now, freeFrom, reserved }: { now: number; freeFrom: number; reserved: boolean },
): Promise<boolean> {
  const taken = await db
    .insertInto("idempotencyKeys")
    .values({ projectId, key, operation, digest, createdAt: now, reserved })
    .onConflict((conflict) =>
      conflict
        .columns(["projectId", "key"])
        .doUpdateSet({ operation, digest, createdAt: now, status: null, body: null, reserved })
        .where("idempotencyKeys.createdAt", "<=", freeFrom),
    )
    .returning("key")
    .executeTakeFirst();
  return taken !== undefined;
}

/** What a key was used for, and its answer where there is one; null where it was not used since an instant (epoch ms). */
export async function findKept(
  db: Db,
  { projectId, key }: UsedKey,
  since: number,
): Promise<{ operation: string; digest: string; status: number | null; body: string | null } | null> {
  const kept = await db
    .selectFrom("idempotencyKeys")
    .select(["operation", "digest", "status", "body"])
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .where("createdAt", ">", since)
    .executeTakeFirst();
  return kept ?? null;
}

/** Keeps the answer of a key that has none yet. */
export async function keepAnswer(
  db: Db,
  { projectId, key }: UsedKey,
  { status, body }: KeptAnswer,
): Promise<void> {
  await db
    .updateTable("idempotencyKeys")
    .set({ status, body, reserved: false })
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .where("status", "is", null)
    .execute();
}

/** What LIKE matches as it is. */
const literally = (text: string): string => text.replace(/[\\%_]/g, "\\$&");
/** A text as it stands within a kept answer. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Puts another answer in place of those that name something. `values`: texts that are fields of their own; `parts`: anywhere, in any case. */
export async function replaceAnswers(
  db: Db,
  projectId: string,
  { values, parts }: { values: readonly string[]; parts: readonly string[] },
  { status, body }: KeptAnswer,
): Promise<void> {
  const fields = values.flatMap((text) =>
    [",", "}", "]"].map((end) => `%"${literally(inJson(text))}"${end}%`),
  );
  const anywhere = parts.map((text) => `%${literally(inJson(text.toLowerCase()))}%`);
  await sql`
    update ${t.idempotencyKeys} set status = ${status}, body = ${body}
    where project_id = ${projectId} and not reserved
      and (body like any(${fields}::text[]) or lower(body) like any(${anywhere}::text[]))`.execute(db);
}

/** Frees a key whose request had no effect. */
export async function releaseKey(db: Db, { projectId, key }: UsedKey): Promise<void> {
  await db
    .deleteFrom("idempotencyKeys")
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .where("reserved", "=", true)
    .execute();
}

/** Deletes keys older than a day, in every project. */
export async function forgetOldKeysAcrossProjects(db: Db, now: number): Promise<void> {
  await sql`delete from ${t.idempotencyKeys} where created_at <= ${now - DAY_MS}`.execute(db);
}
