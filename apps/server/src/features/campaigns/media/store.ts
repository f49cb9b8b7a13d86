import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

export type MediaRow = {
  digest: string;
  contentType: string;
  width: number;
  height: number;
  bytes: Buffer;
  createdAt: number;
};

/**
 * Stores an image if the project's images then have at most `maxBytes` together; answers whether it was written. The same bytes are the
 * same image and not written twice. (Two uploads at the same time may both find room.)
 */
export async function insertMedia(
  db: Db,
  projectId: string,
  row: MediaRow,
  maxBytes: number,
): Promise<boolean> {
  const { digest, contentType, width, height, bytes, createdAt } = row;
  const { numAffectedRows } = await sql`
    insert into ${t.media} (project_id, digest, content_type, width, height, bytes, created_at)
    select ${projectId}::uuid, ${digest}, ${contentType}, ${width}, ${height}, ${bytes}, ${createdAt}
    where (select coalesce(sum(octet_length(bytes)), 0) from ${t.media} where project_id = ${projectId}::uuid)
      + ${bytes.length} <= ${maxBytes}
    on conflict do nothing`.execute(db);
  return numAffectedRows === 1n;
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
    select count(*) as found from ${t.media} where project_id = ${projectId} and digest = any(${digests})`.execute(
    db,
  );
  return rows[0]?.found ?? 0;
}
