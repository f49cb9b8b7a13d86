import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { type CampaignTopic, topicOfSql } from "../../topics/public.ts";
import { timingOfSql } from "../store.ts";
import type { CampaignTiming } from "../timing.pure.ts";
import { type CurrentEpoch, currentEpochSql } from "./epoch-store.ts";

/** What a campaign decides by about a user: its audience as it is stored, its topic, its timing, its epoch, and its variants in order, with their weights. */
export type CampaignAllocation = {
  audience: unknown;
  topic: CampaignTopic | null;
  timing: CampaignTiming;
  current: CurrentEpoch;
  variants: { id: string; weight: number }[];
};

/** The allocation of a campaign; null once the campaign is gone. */
export async function readAllocation(
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<CampaignAllocation | null> {
  // One statement, so that weights and holdout are those of the epoch, and the audience belongs to them.
  const { rows } = await sql<CampaignAllocation>`
    select c.audience, ${topicOfSql("c")} as topic, ${timingOfSql("c")} as timing, ${currentEpochSql("c")} as current, (
        select jsonb_agg(jsonb_build_object('id', v.id, 'weight', v.weight) order by v.position)
        from ${t.variants} v where v.campaign_id = c.id and v.project_id = c.project_id
      ) as variants
    from ${t.campaigns} c where c.id = ${campaignId} and c.project_id = ${projectId}`.execute(db);
  return rows[0] ?? null;
}
