import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";

export type MediaRow = {
  digest: string;
  contentType: string;
  width: number;
  height: number;
  bytes: Buffer;
  createdAt: number;
};

/** The same bytes again are the same object: nothing is written twice, nothing changes. */
export async function insertMedia(db: Db, projectId: string, row: MediaRow): Promise<void> {
  await db
    .insertInto("media")
    .values({ ...row, projectId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findMedia(
  db: Db,
  projectId: string,
  digest: string,
): Promise<{ bytes: Buffer; contentType: string } | null> {
  const row = await db
    .selectFrom("media")
    .select(["bytes", "contentType"])
    .where("projectId", "=", projectId)
    .where("digest", "=", digest)
    .executeTakeFirst();
  return row ?? null;
}

/** How many of these digests the project has. */
export async function countMedia(db: Db, projectId: string, digests: readonly string[]): Promise<number> {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from media where project_id = ${projectId} and digest = any(${digests})`.execute(
    db,
  );
  return rows[0]?.found ?? 0;
}
