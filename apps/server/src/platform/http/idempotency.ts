import { hash } from "node:crypto";
import { sql } from "kysely";
import { DAY_MS } from "../clock.ts";
import type { Db, Tx } from "../db/db.ts";
import { ApiError } from "./errors.ts";

/** What an operation answered; an empty body is none. That of a management write is stored with its key, and given again (`replayed`) for it. */
export type Answer = { status: number; body: string; replayed: boolean };

export type IdempotencyKey = {
  projectId: string;
  key: string;
  operation: string;
  /** Of everything that the request asks for. */
  digest: string;
};

export const requestDigest = (url: string, body: unknown): string =>
  hash("sha256", `${url}\n${JSON.stringify(body)}`);

/**
 * Runs a write at most once per key within 24 hours, inside the caller's transaction: the record and the effect are
 * one commit. A concurrent duplicate waits on the key's row, then replays.
 * @throws ApiError conflict when the key was used for something else.
 */
export async function once(
  tx: Tx,
  given: IdempotencyKey,
  now: number,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const { projectId, key, operation, digest } = given;
  const claimed = await tx
    .insertInto("idempotencyKeys")
    .values({ projectId, key, operation, digest, createdAt: now })
    .onConflict((conflict) =>
      conflict
        .columns(["projectId", "key"])
        .doUpdateSet({ operation, digest, createdAt: now, status: null, body: null })
        .where("idempotencyKeys.createdAt", "<=", now - DAY_MS),
    )
    .returning("key")
    .executeTakeFirst();
  const row = (query: Db) =>
    query.selectFrom("idempotencyKeys").where("projectId", "=", projectId).where("key", "=", key);
  if (claimed === undefined) {
    const earlier = await row(tx).select(["operation", "digest", "status", "body"]).executeTakeFirst();
    if (
      earlier?.status == null ||
      earlier.body === null ||
      earlier.operation !== operation ||
      earlier.digest !== digest
    ) {
      throw new ApiError("conflict", "This Idempotency-Key was used for another request.");
    }
    return { status: earlier.status, body: earlier.body, replayed: true };
  }
  const answer = await run();
  await tx
    .updateTable("idempotencyKeys")
    .set({ status: answer.status, body: answer.body })
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .execute();
  return answer;
}

/** Forgets keys older than a day, in every project. */
export async function forgetOldKeysAcrossProjects(db: Db, now: number): Promise<void> {
  await sql`delete from idempotency_keys where created_at <= ${now - DAY_MS}`.execute(db);
}
