import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";

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
  const rowsOf = (table: string): RawBuilder<number> =>
    sql`(select count(*) from ${sql.table(table)} where project_id = ${projectId})`;
  const { rows } = await sql<Holdings>`
    select ${rowsOf("users")} as users, ${rowsOf("events")} as events, ${rowsOf("campaigns")} as campaigns,
      ${rowsOf("segments")} as segments, ${rowsOf("deliveries")} as deliveries,
      ${rowsOf("installations")} as installations, ${rowsOf("media")} as images,
      (select coalesce(sum(length(bytes)), 0)::int8 from media where project_id = ${projectId}) as "imageBytes"`.execute(
    db,
  );
  return rows[0] as Holdings;
}
