import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { sqlText } from "../../platform/db/statements/sql-text.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { type CurrentEpoch, currentEpochSql } from "../campaigns/authoring/public.ts";
import type { VisitorsMet } from "../campaigns/authoring/rules.ts";

export type RunningCampaign = {
  id: string;
  /** Whether it is the message of a step: users have it because their journey brought them there. */
  isStep: boolean;
  current: CurrentEpoch;
  /** As it is stored. */
  audience: unknown;
  visitors: VisitorsMet;
  pages: string[] | null;
  deliverFrom: number | null;
  deliverUntil: number | null;
  variants: { id: string; weight: number; content: Record<string, unknown> }[];
};

/** SQL: the campaign `c` as `RunningCampaign`. */
const CAMPAIGN = sqlText(`json_build_object(
        'id', c.id, 'isStep', c.journey_id is not null, 'audience', c.audience, 'visitors', c.visitors, 'pages', c.pages,
        'deliverFrom', c.deliver_from, 'deliverUntil', c.deliver_until,
        'current', ${currentEpochSql("c")},
        'variants', (
          select json_agg(json_build_object('id', v.id, 'weight', v.weight, 'content', v.content) order by v.position)
          from ${t.variants} v where v.campaign_id = c.id
        )
      )`);

/** The running web campaigns of a project, newest first, and the version of its feed configuration. */
export async function readRunningCampaigns(
  db: Db,
  projectId: string,
): Promise<{ version: number; campaigns: RunningCampaign[] }> {
  // One statement, one snapshot: the version and the campaigns cannot disagree.
  const { rows } = await sql<{ version: number; campaigns: RunningCampaign[] }>`
    select p.config_version as version, coalesce((
      select json_agg(${CAMPAIGN} order by c.created_at desc, c.id desc)
      from ${t.campaigns} c
      where c.project_id = p.id and c.status = 'running' and c.channel = 'web_inapp'
    ), '[]') as campaigns
    from ${t.projects} p where p.id = ${projectId}`.execute(db);
  return rows[0] ?? { version: 0, campaigns: [] };
}

/** A web campaign as the feed would read it while it runs, whatever its status; null where the project has none of that id. */
export async function readFeedCampaign(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<RunningCampaign | null> {
  const { rows } = await sql<{ campaign: RunningCampaign }>`
    select ${CAMPAIGN} as campaign from ${t.campaigns} c
    where c.project_id = ${projectId} and c.id = ${campaignId} and c.channel = 'web_inapp'`.execute(db);
  return rows[0]?.campaign ?? null;
}
