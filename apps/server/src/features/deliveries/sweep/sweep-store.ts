import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { dueAtSql, dueSql, type Look } from "../../../platform/time/far-ahead.ts";
import { isOpen, isPassOver, isSentBy } from "../../campaigns/authoring/public.ts";
import type { Cursor } from "../rules.ts";
import { PLAN_FAULTS } from "./plan-fault.ts";

/** A campaign, and how far the sweep over its audience has come. Instants are epoch milliseconds. */
export type Sweep = {
  projectId: string;
  campaignId: string;
  goalId: string | null;
  cursor: Cursor;
  /** The number of its pass, for the audience of which it looks for users. */
  pass: number;
  /** Whether the campaign is sent once; and whether it was through its audience then: the sweep looks for no more users. */
  once: boolean;
  isPassOver: boolean;
  nextSweepAt: number;
  /** When the users who wait are due to be re-evaluated; null where a channel has no such users. */
  reevaluateAt: number | null;
  /** When there is something to do for it: its next users, those who wait, or a pass that has not begun. */
  dueAt: number;
  /** The rest after its last way through the audience: neither instant is set further ahead (ms). */
  restMs: number;
  /** How long it has worked since it began (ms). */
  workedMs: number;
  /** Why nothing leaves, or no new users are found; null where both go on. */
  fault: string | null;
};

type Channel = "email" | "push";
/** Which sweeps to find: all that are due or come due soon, or that of one campaign, due or not. */
type Which = { projectId: string; campaignId: string } | "due";

/** Has sweeps begin the passes (UUID of the campaign -> number) that a change of the audience asks for, at the first user. */
async function beginPasses(db: Db, passes: ReadonlyMap<string, number>, now: number): Promise<void> {
  await sql`
    update ${t.campaignSweeps} s
    set pass = n.pass, after_lane = null, after_user = null, unconfirmed_so_far = 0, worked_ms = 0, next_sweep_at = ${now}
    from unnest(${[...passes.keys()]}::uuid[], ${[...passes.values()]}::int4[]) n (campaign_id, pass)
    where s.campaign_id = n.campaign_id and s.pass < n.pass`.execute(db);
}

/**
 * Inserts the missing sweeps of running campaigns; answers the requested ones whose campaigns may send now. Templates have one as well,
 * which says why nothing leaves; they are swept for no audience.
 */
export async function ensureSweepsAcrossProjects(
  db: Db,
  channel: Channel,
  which: Which,
  { now, until }: Look,
): Promise<Sweep[]> {
  const chosen =
    which === "due" ? sql`true` : sql`c.id = ${which.campaignId} and c.project_id = ${which.projectId}`;
  const dueAt = (at: string) => withValue((instant) => dueAtSql(at, instant, "s.rest_ms"), now);
  // A pass that has not begun is due: its audience is another one than that of the last. A campaign that is sent once does not come back
  // to users who wait. Nothing is due before the campaign opens.
  const due = sql<number>`case when s.pass < c.pass then ${now}
    else least(${dueAt("s.next_sweep_at")}, case when not c.once then ${dueAt("s.reevaluate_at")} end) end`;
  const isSoon = which === "due" ? sql`d.due_at <= ${until}` : sql`true`;
  const openAt = (instant: string): string => (which === "due" ? `greatest(d.due_at, ${instant})` : instant);
  const sent = sql`${isSentBy("c", channel)} and ${chosen}`;
  await sql`
    insert into ${t.campaignSweeps} (campaign_id, project_id, pass, next_sweep_at, reevaluate_at)
    select c.id, c.project_id, c.pass, ${now}, case when c.channel = 'push' then 0 end from ${t.campaigns} c
    where c.status = 'running' and ${sent} and not exists (select from ${t.campaignSweeps} s where s.campaign_id = c.id)
    on conflict do nothing`.execute(db);
  const { rows } = await sql<
    Omit<Sweep, "cursor"> & { lane: number | null; userKey: string | null; isStale: boolean }
  >`
    select c.project_id as "projectId", c.id as "campaignId", c.goal_id as "goalId", s.fault, s.after_lane as lane, s.after_user as "userKey", c.pass, c.once,
      s.pass < c.pass as "isStale", ${isPassOver("c", "s")} as "isPassOver",
      d.due_at as "dueAt", s.next_sweep_at as "nextSweepAt", s.reevaluate_at as "reevaluateAt", s.rest_ms as "restMs",
      case when s.pass < c.pass then 0 else s.worked_ms end as "workedMs"
    from ${t.campaignSweeps} s join ${t.campaigns} c on c.id = s.campaign_id
    cross join lateral (select greatest(${due}, c.deliver_from) as due_at offset 0) d
    where ${sent} and c.purpose = 'marketing' and c.journey_id is null and ${isSoon} and ${withValue((at) => isOpen("c", openAt(at)), now)}
    order by s.next_sweep_at, c.id`.execute(db);
  const stale = rows.filter(({ isStale, dueAt }) => isStale && dueAt <= now);
  if (stale.length > 0) await beginPasses(db, new Map(stale.map((row) => [row.campaignId, row.pass])), now);
  return rows.map(({ lane, userKey, isStale, nextSweepAt, ...sweep }) => ({
    ...sweep,
    nextSweepAt: isStale ? now : nextSweepAt,
    cursor: isStale || lane === null || userKey === null ? null : { lane, userKey },
  }));
}

/** Why no new users are found for a campaign. */
const SWEEP_FAULT =
  "Looking through the audience failed. It is tried again; the log of the server says more.";

/** SQL: the fault is of the planning, and not of the sending. */
const isSweepFault = sql<boolean>`coalesce(fault = any(${[SWEEP_FAULT, ...PLAN_FAULTS]}::text[]), false)`;

/** The fault that stays after a successful sweep: one of the sending. */
const withoutSweepFault: { fault: RawBuilder<string | null>; faultAt: RawBuilder<number | null> } = {
  fault: sql`case when not ${isSweepFault} then fault end`,
  faultAt: sql`case when not ${isSweepFault} then fault_at end`,
};

/**
 * Moves a sweep on to its next cursor; false when another process did so before, or another pass began. `end` is null until the end of the
 * audience: then it says when that was, and when the sweep begins again (epoch ms).
 * `tookMs`: how long it worked; `unconfirmed`: users on the way whose address is not confirmed; the sweep sums them up.
 */
export async function moveSweep(
  db: Db,
  { projectId, campaignId, pass, cursor: from }: Sweep,
  to: {
    cursor: Cursor;
    end: { at: number; nextSweepAt: number; restMs: number } | null;
    tookMs: number;
    unconfirmed: number;
  },
): Promise<boolean> {
  const soFar = sql<number>`unconfirmed_so_far + ${to.unconfirmed}`;
  const { numUpdatedRows } = await db
    .updateTable("campaignSweeps")
    .set({
      afterLane: to.cursor?.lane ?? null,
      afterUser: to.cursor?.userKey ?? null,
      ...(to.end === null
        ? { unconfirmedSoFar: soFar, workedMs: sql<number>`worked_ms + ${to.tookMs}` }
        : {
            workedMs: 0,
            passedAt: to.end.at,
            nextSweepAt: to.end.nextSweepAt,
            restMs: to.end.restMs,
            sweeps: sql<number>`sweeps + 1`,
            unconfirmed: soFar,
            unconfirmedSoFar: 0,
          }),
      ...withoutSweepFault,
    })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("pass", "=", pass)
    .where("afterLane", "is not distinct from", from?.lane ?? null)
    .where("afterUser", "is not distinct from", from?.userKey ?? null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Records when a campaign whose only pass is over is looked at next, to end it. `nextSweepAt` is epoch milliseconds. */
export async function lookAgain(
  db: Db,
  { projectId, campaignId, pass }: Sweep,
  { nextSweepAt, restMs }: { nextSweepAt: number; restMs: number },
): Promise<void> {
  await db
    .updateTable("campaignSweeps")
    .set({ nextSweepAt, restMs })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("pass", "=", pass)
    .execute();
}

/** Makes the sweeps of a project's email campaigns due now. */
export async function sweepSoon(db: Db, projectId: string, now: number): Promise<void> {
  await sql`
    update ${t.campaignSweeps} s set next_sweep_at = ${now} from ${t.campaigns} c
    where s.project_id = ${projectId} and s.next_sweep_at > ${now} and c.id = s.campaign_id and c.channel = 'email'`.execute(
    db,
  );
}

/** Records that all users who wait were re-evaluated, and when that is due next. */
export async function moveReevaluation(
  db: Db,
  { projectId, campaignId }: Sweep,
  { reevaluatedAt, reevaluateAt }: { reevaluatedAt: number; reevaluateAt: number },
): Promise<void> {
  await db
    .updateTable("campaignSweeps")
    .set({ reevaluatedAt, reevaluateAt })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
}

/**
 * Postpones what failed of a sweep, which was due, and records that, unless another fault is recorded. A fault of the campaign itself
 * (`planFault`) goes before any other: while it stands, no new user is found however well the sending goes.
 */
export async function postponeSweep(
  db: Db,
  { projectId, campaignId }: Sweep,
  { now, until }: { now: number; until: number },
  planFault: string | null = null,
): Promise<void> {
  const postponed = (at: string): RawBuilder<number> =>
    sql`case when ${withValue((instant) => dueSql(at, instant, "rest_ms"), until)} then ${until} else ${sql.raw(at)} end`;
  await db
    .updateTable("campaignSweeps")
    .set({
      nextSweepAt: postponed("next_sweep_at"),
      reevaluateAt: postponed("reevaluate_at"),
      fault: sql<string>`coalesce(${planFault}::text, fault, ${SWEEP_FAULT})`,
      faultAt: sql<number>`case when fault = coalesce(${planFault}::text, fault) then fault_at else ${now} end`,
    })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
}

/**
 * Sets or clears (null) the fault that stops the sending of campaigns. A fault of a sweep is cleared when a sweep succeeds, and one of the
 * campaign itself is not replaced until then.
 */
export async function setSendingFault(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
  fault: string | null,
  now: number,
): Promise<void> {
  if (campaignIds.length === 0) return;
  await db
    .updateTable("campaignSweeps")
    .set({ fault, faultAt: fault === null ? null : now })
    .where("projectId", "=", projectId)
    .where("campaignId", "in", campaignIds)
    .where("fault", "is distinct from", fault)
    .where(
      sql<boolean>`coalesce(fault <> all(${fault === null ? [SWEEP_FAULT, ...PLAN_FAULTS] : [...PLAN_FAULTS]}::text[]), true)`,
    )
    .execute();
}

/** A running campaign (UUID) of which nothing leaves, or no new users are found. `faultAt` is epoch milliseconds. */
export type CampaignFault = { campaignId: string; campaignName: string; fault: string; faultAt: number };

/** The faults of a project's running campaigns, the newest first. */
export async function listFaults(db: Db, projectId: string, limit: number): Promise<CampaignFault[]> {
  const { rows } = await sql<CampaignFault>`
    select c.id as "campaignId", c.name as "campaignName", s.fault, s.fault_at as "faultAt"
    from ${t.campaignSweeps} s join ${t.campaigns} c on c.id = s.campaign_id and c.project_id = s.project_id
    where s.project_id = ${projectId} and c.status = 'running' and s.fault is not null
    order by s.fault_at desc, c.id limit ${limit}`.execute(db);
  return rows;
}

/** How many running campaigns of a channel have a fault. */
export async function countFaultsAcrossProjects(db: Db, channel: Channel): Promise<number> {
  const { rows } = await sql<{ faults: number }>`
    select count(*) as faults from ${t.campaignSweeps} s join ${t.campaigns} c on c.id = s.campaign_id
    where c.status = 'running' and c.channel = ${channel} and s.fault is not null`.execute(db);
  return rows[0]?.faults ?? 0;
}

/** Campaigns of a channel that have ended and whose sends may not all be closed. */
export async function findEndedSweepsAcrossProjects(
  db: Db,
  channel: Channel,
): Promise<{ projectId: string; campaignId: string }[]> {
  const { rows } = await sql<{ projectId: string; campaignId: string }>`
    select s.project_id as "projectId", s.campaign_id as "campaignId"
    from ${t.campaignSweeps} s join ${t.campaigns} c on c.id = s.campaign_id
    where s.closed_at is null and c.status = 'ended' and c.channel = ${channel} order by s.campaign_id`.execute(
    db,
  );
  return rows;
}

/** Records that all sends of an ended campaign are closed. */
export async function closeSweep(db: Db, projectId: string, campaignId: string, now: number): Promise<void> {
  await db
    .updateTable("campaignSweeps")
    .set({ closedAt: now })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .execute();
}
