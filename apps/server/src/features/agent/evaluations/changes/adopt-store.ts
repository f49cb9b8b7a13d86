import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { PayloadHashes } from "./payload.ts";

/** A change of a project; `former` is the hash under which it is kept. */
export type Kept = { campaignId: string; evaluationAt: number; former: string; mutation: unknown };

/** Every change of a project that was proposed or applied. */
export async function listMutations(db: Db, projectId: string): Promise<Kept[]> {
  const { rows } = await sql<Kept>`
    select campaign_id as "campaignId", evaluation_at as "evaluationAt", payload_hash as former, mutation
    from ${t.proposals} where project_id = ${projectId}
    union
    select campaign_id, evaluation_at, payload_hash, mutation from ${t.appliedMutations} where project_id = ${projectId}`.execute(
    db,
  );
  return rows;
}

/** Keeps changes under other hashes. */
export async function adoptHashes(
  db: Db,
  projectId: string,
  rows: readonly (Kept & PayloadHashes)[],
): Promise<void> {
  const json = JSON.stringify(
    rows.map(({ campaignId, evaluationAt, former, payloadHash, mutationHash }) => ({
      campaign_id: campaignId,
      evaluation_at: evaluationAt,
      former,
      payload_hash: payloadHash,
      mutation_hash: mutationHash,
    })),
  );
  const given = sql`json_to_recordset(${json}::json)
    as n(campaign_id uuid, evaluation_at bigint, former text, payload_hash text, mutation_hash text)`;
  const same = sql`t.project_id = ${projectId} and t.campaign_id = n.campaign_id
    and t.evaluation_at = n.evaluation_at and t.payload_hash = n.former`;
  await sql`
    update ${t.proposals} t set payload_hash = n.payload_hash, mutation_hash = n.mutation_hash
    from ${given} where ${same}`.execute(db);
  await sql`
    update ${t.appliedMutations} t set payload_hash = n.payload_hash from ${given} where ${same}`.execute(db);
}

/**
 * Says which test each place in a goal's order is of, where a file is older than that: of the text of now, or of the one
 * about which the verdict was given; for drafts, of their first epoch to come. Places of which that is not known stay taken.
 */
export async function adoptTests(db: Db, projectId: string): Promise<void> {
  await sql`
    with known as (
      select t.goal_id, t.t, t.campaign_id, t.variant_id, k.id as control_id, g.target_event, g.attribution_days,
        c.epoch = 0 as is_to_come,
        (
          select max(a.epoch) from ${t.allocations} a
          where a.campaign_id = t.campaign_id and (t.verdict_at is null or a.started_at < t.verdict_at)
        ) as last_epoch
      from ${t.verdictTests} t
      join ${t.goals} g on g.id = t.goal_id and g.target_event is not null
      join ${t.campaigns} c on c.id = t.campaign_id
      join ${t.variants} k on k.campaign_id = t.campaign_id and k.is_control and k.id <> t.variant_id
      where t.project_id = ${projectId}
    ),
    placed as (
      select n.*, case when n.is_to_come then 1 else s.epoch end as since_epoch
      from known n
      cross join lateral (
        select min(epoch) as epoch
        from (
          select epoch, bool_and(is_same) over (order by epoch desc) as is_since
          from (
            select a.epoch, count(*) filter (where a.content_digest = l.content_digest) = 2 as is_same
            from ${t.allocations} a
            join ${t.allocations} l
              on l.campaign_id = a.campaign_id and l.variant_id = a.variant_id and l.epoch = n.last_epoch
            where a.campaign_id = n.campaign_id and a.variant_id in (n.variant_id, n.control_id)
              and a.epoch <= n.last_epoch
            group by a.epoch
          ) epochs
        ) backwards
        where is_since
      ) s
    )
    update ${t.verdictTests} t
    set control_id = p.control_id, event = p.target_event, attribution_days = p.attribution_days, since_epoch = p.since_epoch
    from placed p
    where t.project_id = ${projectId} and t.goal_id = p.goal_id and t.t = p.t and p.since_epoch is not null`.execute(
    db,
  );
}
