import { sql } from "kysely";
import { countDifferences } from "../../../platform/db/count-differences.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { isNoWordOfAKey } from "../../runs/public.ts";

/** Days on which another number of claims was paid for than were granted. */
export const countBudgetDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from (
      select project_id, granted_at / 86400000 as day, count(*) as paid
      from (
        select project_id, granted_at from ${t.evaluationClaims} where not is_continuation
        union all
        select project_id, granted_at from ${t.sourceClaims}
      ) as granted group by 1, 2
    ) c
    full join (select * from ${t.agentDays} where granted > 0) d on d.project_id = c.project_id and d.day = c.day
    where d.granted is distinct from c.paid`,
  );

/** Evaluations whose lease is not that of their last claim, and claims that should have ended. */
export const countLeaseDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.evaluations} e
    left join lateral (
      select max(c.lease_seq) as last, count(*) filter (where c.ended_at is null) as open,
        max(c.lease_seq) filter (where c.ended_at is null) as open_seq
      from ${t.evaluationClaims} c where c.campaign_id = e.campaign_id
    ) c on true
    where coalesce(c.last, 0) <> e.lease_seq
      or c.open <> (e.lease_digest is not null)::int
      or coalesce(c.open_seq <> e.lease_seq, false)`,
  );

/** Proposals that contradict what was applied, and changes that were applied after people had rejected them. */
export const countApprovalDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.proposals} p
    left join ${t.appliedMutations} a on a.proposal_id = p.id
    where (p.consumed_at is not null) <> (a.proposal_id is not null)
      or (a.proposal_id is not null and (
        a.payload_hash <> p.payload_hash or a.campaign_id <> p.campaign_id or p.decided_at > a.applied_at
        or p.status <> 'approved'))
    union all
    select from ${t.appliedMutations} a
    join ${t.proposals} p on p.campaign_id = a.campaign_id and p.payload_hash = a.payload_hash and p.status = 'rejected'
      and a.applied_at > p.decided_at`,
  );

/** Proposals that say they were decided, and no run of a person says the same. */
export const countVerdictDifferencesAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.proposals} p
    left join ${t.agentRuns} r on r.id = p.decided_run_id and r.project_id = p.project_id and r.kind = 'approval'
      and ${isNoWordOfAKey}
    where p.status <> 'pending' and (
      r.output ->> 'decision' is distinct from p.status::text
      or r.output ->> 'decidedBy' is distinct from p.decided_by
      or (r.output -> 'forGood') is distinct from to_jsonb(p.barred))`,
  );

/** A change as it is kept: what it is, and the hashes that were computed of it. An applied one has no `mutationHash` of its own. */
export type HashedChange = {
  campaignId: string;
  evaluationAt: number;
  mutation: unknown;
  payloadHash: string;
  mutationHash: string | null;
  /** What tells changes with the same hash apart. */
  id: string;
};

/** Every change that was proposed, then every one that was applied, in pages: those after a place, in the order of their keys. */
export async function listHashedAcrossProjects(
  db: Db,
  from: "proposals" | "appliedMutations",
  after: Pick<HashedChange, "campaignId" | "evaluationAt" | "payloadHash" | "id"> | null,
  limit: number,
): Promise<HashedChange[]> {
  const mutationHash = from === "proposals" ? sql`mutation_hash` : sql`null::text`;
  // Several proposals may be of one change; what was applied was applied once.
  const id = from === "proposals" ? sql`id` : sql`campaign_id`;
  const place =
    after === null
      ? sql`true`
      : sql`(campaign_id, evaluation_at, payload_hash, ${id}) > (${after.campaignId}::uuid, ${after.evaluationAt}::bigint, ${after.payloadHash}, ${after.id}::uuid)`;
  const { rows } = await sql<HashedChange>`
    select campaign_id as "campaignId", evaluation_at as "evaluationAt", mutation, payload_hash as "payloadHash",
      ${mutationHash} as "mutationHash", ${id} as id
    from ${t[from]} where ${place} order by campaign_id, evaluation_at, payload_hash, ${id} limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Campaigns of which two proposals waited for people at the same time. */
export const countDoublePendingAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.proposals} p
    join ${t.proposals} q on q.campaign_id = p.campaign_id and q.id <> p.id
      and (q.created_at, q.id) > (p.created_at, p.id) and q.created_at < p.expires_at
      and coalesce(q.decided_at > p.created_at, true)
    where p.status = 'pending'`,
  );

/** Goals whose treatments are not numbered from 1 without a gap. */
export const countVerdictGapsAcrossProjects = (db: Db): Promise<number> =>
  countDifferences(
    db,
    sql`
    select from ${t.verdictTests} group by project_id, goal_id having max(t) <> count(*) or min(t) <> 1`,
  );
