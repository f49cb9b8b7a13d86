import { sql } from "kysely";
import type { Db } from "../../platform/db/db.ts";
import { currentHoldout, hasHeldOut } from "../campaigns/authoring/public.ts";
import type { CurrentEpoch } from "../deliveries/public.ts";

export type RunningCampaign = CurrentEpoch & {
  id: string;
  /** As it is stored. */
  audience: unknown;
  pages: string[] | null;
  deliverFrom: number | null;
  deliverUntil: number | null;
  /** Whether any user is, or was once, held out from the campaign. */
  withholds: boolean;
  variants: { id: string; weight: number; content: Record<string, unknown> }[];
};

/** SQL: the campaign `c` as `RunningCampaign`. It needs `currentHoldout` joined. */
const CAMPAIGN = `json_build_object(
        'id', c.id, 'audience', c.audience, 'pages', c.pages,
        'deliverFrom', c.deliver_from, 'deliverUntil', c.deliver_until,
        'epoch', c.epoch, 'goalId', h.goal_id, 'holdoutPercent', coalesce(h.holdout_percent, 0),
        'withholds', ${hasHeldOut("c")},
        'variants', (
          select json_agg(json_build_object('id', v.id, 'weight', v.weight, 'content', v.content) order by v.position)
          from variants v where v.campaign_id = c.id
        )
      )`;

/** The running web campaigns of a project, newest first, and the version of its feed configuration. */
export async function readRunningCampaigns(
  db: Db,
  projectId: string,
): Promise<{ version: number; campaigns: RunningCampaign[] }> {
  // One statement, one snapshot: the version and the campaigns cannot disagree.
  const { rows } = await sql<{ version: number; campaigns: RunningCampaign[] }>`
    select p.config_version as version, coalesce((
      select json_agg(${sql.raw(CAMPAIGN)} order by c.created_at desc, c.id desc)
      from campaigns c ${sql.raw(currentHoldout("c"))}
      where c.project_id = p.id and c.status = 'running' and c.channel = 'web_inapp'
    ), '[]') as campaigns
    from projects p where p.id = ${projectId}`.execute(db);
  return rows[0] ?? { version: 0, campaigns: [] };
}

/** A web campaign as the feed would read it while it runs, whatever its status; null where the project has none of that id. */
export async function readFeedCampaign(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<RunningCampaign | null> {
  const { rows } = await sql<{ campaign: RunningCampaign }>`
    select ${sql.raw(CAMPAIGN)} as campaign from campaigns c ${sql.raw(currentHoldout("c"))}
    where c.project_id = ${projectId} and c.id = ${campaignId} and c.channel = 'web_inapp'`.execute(db);
  return rows[0]?.campaign ?? null;
}
