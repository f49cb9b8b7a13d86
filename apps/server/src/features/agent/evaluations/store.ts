import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { MINUTE_MS } from "../../../platform/time/clock.ts";
import { farAheadSql } from "../../../platform/time/far-ahead.ts";
import type { CampaignStatus } from "../../campaigns/authoring/rules.ts";
import { unleasedSql } from "./leases/lease.ts";
import type { EvaluationCandidate } from "./rules.ts";

/** A campaign is looked at a last time so long before its end: what is found then can still be acted on. */
const LAST_LOOK_MS = 15 * MINUTE_MS;

/** Whether a lease whose end is in the column `expiresAt` is over or was never given. */
export const isUnleased = (expiresAt: string, now: number): RawBuilder<boolean> =>
  withValue((at) => unleasedSql(expiresAt, at), now);

export type EvaluationRow = Selectable<Tables["evaluations"]>;
export type LockedCandidate = EvaluationCandidate & { id: string; goalId: string | null };

/** Whether other transactions may read the goal under a lock as well, or wait for this one. */
type GoalLock = "for share" | "for no key update";

/** A campaign that cannot change until the transaction ends, nor its goal; deliveries go on. Null where the project has none of that id. */
export async function lockCandidate(
  db: Db,
  projectId: string,
  campaignId: string,
  goalLock: GoalLock,
): Promise<LockedCandidate | null> {
  const campaign = await db
    .selectFrom("campaigns")
    .select(["id", "status", "deliverFrom", "deliverUntil", "goalId"])
    .where("projectId", "=", projectId)
    .where("id", "=", campaignId)
    .forShare()
    .executeTakeFirst();
  if (campaign === undefined) return null;
  const goalStatus = await lockGoal(db, projectId, campaign.goalId, goalLock);
  return { ...campaign, status: campaign.status as CampaignStatus, goalStatus };
}

/** Locks a goal after its campaign, and answers its status; null without a goal. */
export async function lockGoal(
  db: Db,
  projectId: string,
  goalId: string | null,
  lock: GoalLock,
): Promise<EvaluationCandidate["goalStatus"]> {
  if (goalId === null) return null;
  const goal = await db
    .selectFrom("goals")
    .select("status")
    .where("projectId", "=", projectId)
    .where("id", "=", goalId)
    .$if(lock === "for share", (query) => query.forShare())
    .$if(lock === "for no key update", (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return goal?.status ?? null;
}

/** The evaluation of a campaign; null where none was ever planned. */
export async function findEvaluation(
  db: Db,
  projectId: string,
  campaignId: string,
  lock: "read" | "for update" = "read",
): Promise<EvaluationRow | null> {
  const row = await db
    .selectFrom("evaluations")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .$if(lock === "for update", (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** The evaluation of a campaign, locked; null where none was ever planned. */
export const lockEvaluation = (
  db: Db,
  projectId: string,
  campaignId: string,
): Promise<EvaluationRow | null> => findEvaluation(db, projectId, campaignId, "for update");

/** Plans the next evaluation of a campaign, unless a program has a lease on it; answers whether it did. */
export async function planEvaluation(
  db: Db,
  projectId: string,
  campaignId: string,
  at: number,
  now: number,
): Promise<boolean> {
  const planned = await db
    .insertInto("evaluations")
    .values({ projectId, campaignId, evaluationAt: at, plannedAt: now })
    .onConflict((conflict) =>
      conflict
        .column("campaignId")
        .doUpdateSet({ evaluationAt: at, plannedAt: now })
        .where(isUnleased(`${t.evaluations}.lease_expires_at`, now)),
    )
    .returning("campaignId")
    .executeTakeFirst();
  return planned !== undefined;
}

/**
 * Plans a first evaluation of every campaign that runs under an active goal and has none, in projects that have a policy: as many hours
 * ahead as `agent.everyHours` says, but before the campaign's end. Answers how many.
 */
export async function planMissingAcrossProjects(
  db: Db,
  { now, usualHours }: { now: number; usualHours: number },
): Promise<number> {
  const { rows } = await sql`
    insert into ${t.evaluations} (project_id, campaign_id, planned_at, evaluation_at)
    select c.project_id, c.id, ${now},
      least(
        greatest(${now}, coalesce(c.deliver_from, 0)) + coalesce((hours.value #>> '{}')::int, ${usualHours}) * 3600000::bigint,
        case when c.deliver_until is not null
          then greatest(${now}, c.deliver_from, c.deliver_until - ${LAST_LOOK_MS}::bigint) end
      )
    from ${t.settings} policy
    join ${t.campaigns} c on c.project_id = policy.project_id and c.status = 'running'
      and coalesce(${now} < c.deliver_until, true)
    join ${t.goals} g on g.id = c.goal_id and g.project_id = c.project_id and g.status = 'active'
    left join ${t.settings} hours on hours.project_id = policy.project_id and hours.key = 'agent.everyHours'
    left join ${t.evaluations} e on e.campaign_id = c.id and e.project_id = c.project_id
    where policy.key = 'agent.policy' and e.evaluation_at is null
      and ${isUnleased("e.lease_expires_at", now)}
    on conflict (campaign_id) do update set evaluation_at = excluded.evaluation_at, planned_at = excluded.planned_at
      where ${t.evaluations}.evaluation_at is null and ${isUnleased(`${t.evaluations}.lease_expires_at`, now)}
    returning campaign_id`.execute(db);
  return rows.length;
}

/**
 * Makes evaluations due now that were planned by a clock that was ahead: when they were meant for cannot be known. One about which people
 * have been asked keeps its instant, which their answer names.
 */
export async function hastenEvaluationsAcrossProjects(db: Db, now: number): Promise<void> {
  await sql`
    update ${t.evaluations} e set evaluation_at = ${now}, planned_at = ${now}
    where ${withValue((at) => farAheadSql("e.planned_at", at, 0), now)} and e.evaluation_at > ${now}
      and ${isUnleased("e.lease_expires_at", now)} and not exists (
        select from ${t.proposals} p
        where p.project_id = e.project_id and p.campaign_id = e.campaign_id and p.evaluation_at = e.evaluation_at
      )`.execute(db);
}

/**
 * Locks the budget of a UTC day, and with it every claim of the project: the day before is locked as well, so that claims of two days
 * wait for each other around midnight. Answers how many claims of the day were paid for.
 */
export async function lockDay(db: Db, projectId: string, day: number): Promise<number> {
  const days = [day - 1, day];
  await db
    .insertInto("agentDays")
    .values(days.map((each) => ({ projectId, day: each })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const rows = await db
    .selectFrom("agentDays")
    .select(["day", "granted"])
    .where("projectId", "=", projectId)
    .where("day", "in", days)
    .orderBy("day")
    .forUpdate()
    .execute();
  return rows.at(-1)?.granted ?? 0;
}

/** How many claims of a UTC day were paid for. */
export async function readGranted(db: Db, projectId: string, day: number): Promise<number> {
  const row = await db
    .selectFrom("agentDays")
    .select("granted")
    .where("projectId", "=", projectId)
    .where("day", "=", day)
    .executeTakeFirst();
  return row?.granted ?? 0;
}

/** Writes down that a program of people took up an evaluation. The day is locked. */
export async function recordProgram(db: Db, projectId: string, day: number, now: number): Promise<void> {
  await db
    .updateTable("agentDays")
    .set({ programAt: now })
    .where("projectId", "=", projectId)
    .where("day", "=", day)
    .execute();
}

/** Pays for one claim out of a day's budget. The day is locked. */
export async function payFor(db: Db, projectId: string, day: number): Promise<void> {
  await db
    .updateTable("agentDays")
    .set((set) => ({ granted: set("granted", "+", 1) }))
    .where("projectId", "=", projectId)
    .where("day", "=", day)
    .execute();
}

/** How many campaigns of a project are being evaluated. */
export async function countLiveLeases(db: Db, projectId: string, now: number): Promise<number> {
  const { live } = await db
    .selectFrom("evaluations")
    .select(sql<number>`count(*)`.as("live"))
    .where("projectId", "=", projectId)
    .where("leaseExpiresAt", "is not", null)
    .where(({ not }) => not(isUnleased("lease_expires_at", now)))
    .executeTakeFirstOrThrow();
  return live;
}

export type Grant = { digest: Buffer; expiresAt: number; isContinuation: boolean; now: number };

/** Gives a lease on an evaluation that is due and has none; answers whether it did. The former claim, if it never ended, is replaced. */
export async function grantLease(
  db: Db,
  { projectId, campaignId, evaluationAt, leaseSeq }: EvaluationRow,
  { digest, expiresAt, isContinuation, now }: Grant,
): Promise<boolean> {
  const seq = leaseSeq + 1;
  const granted = await db
    .updateTable("evaluations")
    .set({ leaseDigest: digest, leaseExpiresAt: expiresAt, leaseSeq: seq })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("leaseSeq", "=", leaseSeq)
    .where("evaluationAt", "<=", now)
    .where(isUnleased("lease_expires_at", now))
    .returning("campaignId")
    .executeTakeFirst();
  if (granted === undefined) return false;
  await endClaim(db, { projectId, campaignId, leaseSeq }, "replaced", now);
  await db
    .insertInto("evaluationClaims")
    .values({
      projectId,
      campaignId,
      leaseSeq: seq,
      evaluationAt: evaluationAt ?? now,
      isContinuation,
      grantedAt: now,
    })
    .execute();
  return true;
}

/** Whether the last claim of an evaluation ended with a proposal, and there was none since. */
export async function hasJustProposed(
  db: Db,
  { projectId, campaignId, leaseSeq }: Pick<EvaluationRow, "projectId" | "campaignId" | "leaseSeq">,
): Promise<boolean> {
  const claim = await db
    .selectFrom("evaluationClaims")
    .select("endedBy")
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("leaseSeq", "=", leaseSeq)
    .executeTakeFirst();
  return claim?.endedBy === "proposed";
}

/** How a claim ends: its evaluation was completed, a proposal of it waits for people, or another one took the lease after its time. */
type Ending = "completed" | "proposed" | "replaced";

async function endClaim(
  db: Db,
  { projectId, campaignId, leaseSeq }: Pick<EvaluationRow, "projectId" | "campaignId" | "leaseSeq">,
  endedBy: Ending,
  now: number,
): Promise<void> {
  await db
    .updateTable("evaluationClaims")
    .set({ endedAt: now, endedBy })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("leaseSeq", "=", leaseSeq)
    .where("endedAt", "is", null)
    .execute();
}

/** Gives a live lease back, with the instant of the next evaluation; answers whether it was the live one. */
export async function endLease(
  db: Db,
  evaluation: EvaluationRow,
  { digest, next, endedBy, now }: { digest: Buffer; next: number | null; endedBy: Ending; now: number },
): Promise<boolean> {
  const ended = await db
    .updateTable("evaluations")
    .set({
      evaluationAt: next,
      leaseDigest: null,
      leaseExpiresAt: null,
      ...(endedBy === "completed" && { plannedAt: next === null ? null : now }),
    })
    .where("projectId", "=", evaluation.projectId)
    .where("campaignId", "=", evaluation.campaignId)
    .where("leaseDigest", "=", digest)
    .where("leaseExpiresAt", ">", now)
    .returning("campaignId")
    .executeTakeFirst();
  if (ended === undefined) return false;
  await endClaim(db, evaluation, endedBy, now);
  return true;
}

/**
 * Since when an evaluation has been due: since its instant, the end of a lease that was not given back, or the decision of people. For
 * statements in which `e` is the evaluation.
 */
export const dueSince = (now: number): RawBuilder<number> => sql<number>`greatest(
  e.evaluation_at, case when e.lease_expires_at <= ${now} then e.lease_expires_at end, (
    select max(case when p.status = 'pending' then p.expires_at else p.decided_at end) from ${t.proposals} p
    where p.campaign_id = e.campaign_id and p.project_id = e.project_id and p.evaluation_at = e.evaluation_at
      and (p.status <> 'pending' or p.expires_at <= ${now})
  )
)`;

export type DueRow = Pick<EvaluationCandidate, "deliverFrom" | "deliverUntil" | "status"> & {
  campaignId: string;
  name: string;
  goalId: string;
  evaluationAt: number;
  isContinuation: boolean;
};

/**
 * Whether an evaluation may be claimed, but for the bounds of its project: it is due, leased to none, waits for no people, and its campaign
 * is looked after. For statements in which `e` is the evaluation and `c` its campaign, under a goal that is active.
 */
export const evaluationDueSql = (now: number): RawBuilder<boolean> => sql<boolean>`(
  e.evaluation_at <= ${now} and ${isUnleased("e.lease_expires_at", now)}
  and c.status <> 'ended' and (c.status = 'draft' or coalesce(${now} < c.deliver_until, true))
  and not (c.status = 'running' and coalesce(${now} < c.deliver_from, false))
  and not exists (
    select from ${t.proposals} p
    where p.campaign_id = e.campaign_id and p.project_id = e.project_id and p.status = 'pending' and p.expires_at > ${now}
  )
)`;

/**
 * What may be claimed now, oldest first, at most `limit`: due, under an active goal, in no one's lease, and waiting for no decision of
 * people. With `onlyContinuations`, those alone about which people have decided.
 */
export async function listDue(
  db: Db,
  projectId: string,
  {
    now,
    onlyContinuations,
    withDrafts,
    limit,
  }: { now: number; onlyContinuations: boolean; withDrafts: boolean; limit: number },
): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`
    select e.campaign_id as "campaignId", c.name, c.goal_id as "goalId", e.evaluation_at as "evaluationAt",
      c.status, c.deliver_from as "deliverFrom", c.deliver_until as "deliverUntil",
      coalesce(p.decided, false) as "isContinuation"
    from ${t.evaluations} e
    join ${t.campaigns} c on c.id = e.campaign_id and c.project_id = e.project_id
    join ${t.goals} g on g.id = c.goal_id and g.project_id = c.project_id and g.status = 'active'
    left join ${t.evaluationClaims} k
      on k.campaign_id = e.campaign_id and k.lease_seq = e.lease_seq and k.project_id = e.project_id
    left join lateral (
      select bool_or(k.ended_by = 'proposed' and p.consumed_at is null and p.superseded_at is null
          and p.evaluation_at = e.evaluation_at
          and not (p.status = 'pending' and p.expires_at > ${now})) as decided
      from ${t.proposals} p where p.campaign_id = e.campaign_id
    ) p on true
    where e.project_id = ${projectId} and ${evaluationDueSql(now)}
      and (coalesce(p.decided, false) or not ${onlyContinuations}::boolean)
      and (c.status <> 'draft' or ${withDrafts}::boolean)
    order by e.evaluation_at, e.campaign_id
    limit ${limit}`.execute(db);
  return rows;
}
