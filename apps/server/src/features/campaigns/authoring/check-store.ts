import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import { openPages } from "../../../platform/db/cursor.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import { contentDigest } from "./audience/epoch-store.ts";

const AUDIENCES_AT_ONCE = 100;

/** Campaigns whose status and instants contradict each other, without exactly one control variant, or with another project's goal or run. */
export const countBrokenCampaignsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.campaigns} c
    left join ${t.goals} g on g.id = c.goal_id and g.project_id = c.project_id
    left join ${t.agentRuns} r on r.id = c.agent_run_id and r.project_id = c.project_id
    left join (
      select campaign_id, project_id, count(*) filter (where is_control) as controls, max(weight) as weight
      from ${t.variants} group by 1, 2
    ) v on v.campaign_id = c.id and v.project_id = c.project_id
    where (c.status = 'ended') <> (c.ended_at is not null)
      or (c.status = 'draft' and c.started_at is not null) or (c.status in ('running', 'paused') and c.started_at is null)
      or c.ended_at < c.started_at or c.deliver_from >= c.deliver_until
      or v.controls is distinct from 1 or v.weight <= 0 or (c.goal_id is not null and g.id is null)
      or (c.agent_run_id is not null and r.id is null)`,
  );

/** Campaigns whose audience differs from the version that they pin. */
export const countPinDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.campaigns} c
    left join ${t.audienceVersions} v on 'aud_' || v.id = c.audience ->> 'audienceVersionId' and v.project_id = c.project_id
    where c.audience ->> 'audienceVersionId' is not null and (
      v.expression is distinct from c.audience -> 'expression'
      or 'seg_' || v.segment_id is distinct from c.audience ->> 'segmentId'
      or v.version is distinct from (c.audience ->> 'segmentVersion')::int4
    )`,
  );

/** Campaigns that have not ended, and segments in use, whose audience cannot be read. Only its parser knows, so all are read, some at a time. */
export async function countUnreadableAudiencesAcrossProjects(db: Db): Promise<number> {
  let unreadable = 0;
  const stored = await openPages<{ audience: unknown }>(
    db,
    sql`
    select audience from ${t.campaigns} where status <> 'ended'
    union all
    select jsonb_build_object('kind', 'expression', 'legacy', false, 'expression', v.expression) from ${t.segments} s
    join ${t.audienceVersions} v on v.segment_id = s.id and v.version = s.current_version and v.project_id = s.project_id
    where s.status = 'active'`,
    AUDIENCES_AT_ONCE,
  );
  for await (const page of stored)
    unreadable += page.filter(({ audience }) => readStored(audience).kind === "invalid").length;
  return unreadable;
}

/** Running or paused campaigns whose weights, contents, goal or holdout differ from those of their epoch. */
export const countEpochDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.campaigns} c
    join ${t.variants} v on v.campaign_id = c.id
    left join ${t.goals} g on g.id = c.goal_id
    left join ${t.allocations} a on a.campaign_id = c.id and a.epoch = c.epoch and a.variant_id = v.id
    where c.status in ('running', 'paused') and (
      a.weight is distinct from v.weight or a.goal_id is distinct from c.goal_id
      or a.content_digest is distinct from ${contentDigest}
      or a.holdout_percent is distinct from coalesce(g.holdout_percent, 0) or c.holdout_since > c.epoch
    )
    group by c.id`,
  );
