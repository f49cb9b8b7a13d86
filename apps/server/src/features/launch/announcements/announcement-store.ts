import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** Which campaigns: those that were never launched and may be yet, or those that were launched. */
export type AnnouncementState = "waiting" | "launched";

const STATES: Readonly<Record<AnnouncementState, RawBuilder<unknown>>> = {
  waiting: sql`c.status = 'draft' and c.started_at is null`,
  launched: sql`c.started_at is not null`,
};

/** Campaigns (UUIDs) that announce changes of code, newest first. */
export async function listAnnouncing(
  db: Db,
  projectId: string,
  state: AnnouncementState | null,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ ids: string[]; total: number }> {
  const matching = sql`${t.campaigns} c where c.project_id = ${projectId} ${state === null ? sql`` : sql`and ${STATES[state]}`}
    and exists (select from ${t.sourceChanges} d where d.project_id = c.project_id and d.campaign_id = c.id)`;
  const counted = await sql<{ total: number }>`select count(*) as total from ${matching}`.execute(db);
  const { rows } = await sql<{ id: string }>`
    select c.id from ${matching} order by c.created_at desc, c.id desc offset ${offset} limit ${limit}`.execute(
    db,
  );
  return { ids: rows.map(({ id }) => id), total: counted.rows[0]?.total ?? 0 };
}
