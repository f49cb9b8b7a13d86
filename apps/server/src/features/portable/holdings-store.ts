import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import type { SqlText } from "../../platform/db/statements/sql-text.ts";
import { t } from "../../platform/db/statements/table-names.ts";

/** How much is stored for a project: numbers of rows, and bytes of images. */
export type Holdings = {
  users: number;
  events: number;
  campaigns: number;
  segments: number;
  deliveries: number;
  installations: number;
  images: number;
  imageBytes: number;
};

export async function readHoldings(db: Db, projectId: string): Promise<Holdings> {
  const rowsOf = (table: SqlText): RawBuilder<number> =>
    sql`(select count(*) from ${table} where project_id = ${projectId})`;
  const { rows } = await sql<Holdings>`
    select ${rowsOf(t.users)} as users, ${rowsOf(t.events)} as events, ${rowsOf(t.campaigns)} as campaigns,
      ${rowsOf(t.segments)} as segments, ${rowsOf(t.deliveries)} as deliveries,
      ${rowsOf(t.installations)} as installations, ${rowsOf(t.media)} as images,
      (select coalesce(sum(length(bytes)), 0)::int8 from ${t.media} where project_id = ${projectId}) as "imageBytes"`.execute(
    db,
  );
  return rows[0] as Holdings;
}
