import { sql } from "kysely";
import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { valuesStatement } from "../../../../platform/db/statements/statement.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";

/** A campaign (UUIDs). */
type OfProject = { projectId: string; campaignId: string };

/** Email campaigns that have ended with mail which waits. */
export async function findEndedAcrossProjects(db: Db): Promise<OfProject[]> {
  const { rows } = await sql<OfProject>`
    select c.project_id as "projectId", c.id as "campaignId" from ${t.campaigns} c
    where c.status = 'ended' and c.channel = 'email'
      and exists (select from ${t.emailSends} s where s.campaign_id = c.id and s.status = 'waiting')
    order by c.id`.execute(db);
  return rows;
}

/** Locks mail that waits of a campaign that has ended, until the transaction ends. */
export const lockEndedSends = valuesStatement<OfProject & { limit: number }, UserRef & { occasion: number }>(
  { name: "lock_ended_email_sends", reach: "all lanes" },
  { projectId: "uuid", campaignId: "uuid", limit: "int4" },
  ({ projectId, campaignId, limit }) => `
  select s.lane, s.user_key as "userKey", s.occasion from ${t.emailSends} s
  where s.campaign_id = ${campaignId} and s.project_id = ${projectId} and s.status = 'waiting'
    and exists (select from ${t.campaigns} c where c.id = ${campaignId} and c.project_id = ${projectId} and c.status = 'ended')
  order by s.due_at limit ${limit} for update of s skip locked`,
);
