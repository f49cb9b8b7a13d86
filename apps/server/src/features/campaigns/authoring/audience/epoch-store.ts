import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";

/** SQL: what tells the content of the variant `v` from another one. */
export const contentDigest = sql`encode(sha256(convert_to(v.content::text, 'UTF8')), 'hex')`;

/** Campaigns of a project: one, those of a goal, or all. */
type Which = { campaignId: string } | { goalId: string } | "all";

function chosen(which: Which) {
  if (which === "all") return sql`true`;
  return "campaignId" in which ? sql`c.id = ${which.campaignId}` : sql`c.goal_id = ${which.goalId}`;
}

/**
 * Opens a new epoch of each campaign whose weights, contents, goal or holdout differ from those of its epoch. Drafts have none, and
 * the epochs of a campaign that has ended are over. Needs the transaction that made the change, with the campaigns locked. `now` is
 * epoch milliseconds.
 */
export async function openEpochs(db: Db, projectId: string, which: Which, now: number): Promise<void> {
  // The lock on the goal waits for a change of its holdout that is under way, and the statement then reads what that left.
  await sql`
    with current as (
      select c.id as campaign_id, c.epoch, v.id as variant_id, v.weight, c.goal_id,
        ${contentDigest} as content_digest, v.content,
        coalesce(g.holdout_percent, 0) as holdout_percent
      from ${t.campaigns} c
      join ${t.variants} v on v.campaign_id = c.id
      left join lateral (
        select holdout_percent from ${t.goals} where id = c.goal_id and project_id = c.project_id for share
      ) g on true
      where c.project_id = ${projectId} and ${chosen(which)} and c.status in ('running', 'paused')
    ),
    compared as (
      select n.*, a.variant_id is not null as is_known,
        (a.weight, a.content_digest) is not distinct from (n.weight, n.content_digest) as is_same_variant,
        (a.goal_id, a.holdout_percent) is not distinct from (n.goal_id, n.holdout_percent) as is_same_holdout
      from current n
      left join ${t.allocations} a on a.campaign_id = n.campaign_id and a.epoch = n.epoch and a.variant_id = n.variant_id
    ),
    opened as (
      update ${t.campaigns} c
      set epoch = c.epoch + 1, holdout_since = case when d.is_same_holdout then c.holdout_since else c.epoch + 1 end
      from (
        select campaign_id, bool_and(is_same_holdout or not is_known) and bool_or(is_known) as is_same_holdout
        from compared group by 1 having not bool_and(is_known and is_same_variant and is_same_holdout)
      ) d
      where c.id = d.campaign_id
      returning c.id as campaign_id, c.epoch, c.project_id
    )
    insert into ${t.allocations}
      (campaign_id, epoch, variant_id, project_id, weight, content_digest, goal_id, holdout_percent, started_at, content)
    select o.campaign_id, o.epoch, n.variant_id, o.project_id, n.weight, n.content_digest, n.goal_id, n.holdout_percent, ${now},
      -- The first epoch with a content keeps it for those that follow.
      case when not exists (
        select from ${t.allocations} k
        where k.campaign_id = n.campaign_id and k.variant_id = n.variant_id and k.content_digest = n.content_digest
          and k.content is not null
      ) then n.content end
    from opened o join current n on n.campaign_id = o.campaign_id`.execute(db);
}

/**
 * Makes the epochs of an imported project its own. Contents name things by ids, which are new, so the digests of the contents as they are
 * now are written again: nothing was edited. Campaigns from a file that is older than epochs get their first one.
 */
export async function adoptEpochs(db: Db, projectId: string, now: number): Promise<void> {
  await sql`
    update ${t.allocations} a set content_digest = n.digest
    from (
      select v.id, l.content_digest as exported, ${contentDigest} as digest
      from ${t.campaigns} c
      join ${t.variants} v on v.campaign_id = c.id
      join ${t.allocations} l on l.campaign_id = c.id and l.epoch = c.epoch and l.variant_id = v.id
      where c.project_id = ${projectId}
    ) n
    where a.project_id = ${projectId} and a.variant_id = n.id and a.content_digest = n.exported
      and n.digest <> n.exported`.execute(db);
  await openEpochs(db, projectId, "all", now);
}

/** Locks the campaigns of a goal until the transaction ends, so that none of them is changed or serves meanwhile. */
export async function lockCampaignsOfGoal(db: Db, projectId: string, goalId: string): Promise<void> {
  await sql`
    select from ${t.campaigns} where project_id = ${projectId} and goal_id = ${goalId} order by id for update`.execute(
    db,
  );
}

/** What is decided by about the users of a campaign in its current epoch. */
export type CurrentEpoch = {
  epoch: number;
  /** The goal (UUID) of the campaign, and how many per cent of the users it holds out. */
  goalId: string | null;
  holdoutPercent: number;
  /** Whether any user is, or was once, held out from the campaign. */
  withholds: boolean;
};

/**
 * SQL: `CurrentEpoch` of the campaign `c`. Goal and holdout are read from the epoch, so that a decision always has the holdout of the epoch
 * that it names. A campaign that was never launched has the goal and holdout that its first epoch would have.
 */
export const currentEpochSql = (c: string): SqlText =>
  sqlText(`(
    select json_build_object(
      'epoch', ${c}.epoch, 'goalId', h.goal_id, 'holdoutPercent', coalesce(h.holdout_percent, 0),
      'withholds', exists (select from ${t.allocations} a where a.campaign_id = ${c}.id and a.holdout_percent > 0)
    )
    from (select) one left join lateral (
      select a.goal_id, a.holdout_percent from ${t.allocations} a where a.campaign_id = ${c}.id and a.epoch = ${c}.epoch
      union all
      select g.id, g.holdout_percent from ${t.goals} g
      where ${c}.epoch = 0 and g.id = ${c}.goal_id and g.project_id = ${c}.project_id
      limit 1
    ) h on true
  )`);
