import { sql } from "kysely";
import type { Db } from "../../../platform/db/db.ts";
import { rowsStatement } from "../../../platform/db/rows-statement.ts";
import type { UserRef } from "../../../platform/ids.ts";
import { allUsers, matchingUsers } from "../../audience/public.ts";
import type { AudienceExpression } from "../../audience/schema.ts";
import type { Cursor } from "../../deliveries/rules.ts";
import { withoutPlanFault } from "../fault-store.ts";

export type DuePlan = {
  projectId: string;
  campaignId: string;
  audience: unknown;
  cursor: Cursor;
};

/** Makes the plans of campaigns that run and have none yet; answers those of all that have something to look for now. */
export async function findDuePlansAcrossProjects(db: Db, now: number): Promise<DuePlan[]> {
  // `<> 'web_inapp'` says to PostgreSQL that its index of campaigns that are sent will do.
  await sql`
    insert into email_plans (campaign_id, project_id, next_pass_at)
    select c.id, c.project_id, ${now} from campaigns c
    where c.status = 'running' and c.channel <> 'web_inapp' and c.channel = 'email'
      and not exists (select from email_plans p where p.campaign_id = c.id)
    on conflict do nothing`.execute(db);
  const { rows } = await sql<Omit<DuePlan, "cursor"> & { lane: number | null; userKey: string | null }>`
    select c.project_id as "projectId", c.id as "campaignId", c.audience, p.after_lane as lane, p.after_user as "userKey"
    from email_plans p join campaigns c on c.id = p.campaign_id
    where c.status = 'running' and c.channel <> 'web_inapp' and p.next_pass_at <= ${now}
      and coalesce(c.deliver_from <= ${now}, true) and coalesce(${now} < c.deliver_until, true)
    order by p.next_pass_at, c.id`.execute(db);
  return rows.map(({ lane, userKey, ...plan }) => ({
    ...plan,
    cursor: lane === null || userKey === null ? null : { lane, userKey },
  }));
}

/** Looks through the audiences of a project's campaigns again now, where the next time would be later. */
export async function planSoon(db: Db, projectId: string, now: number): Promise<void> {
  await db
    .updateTable("emailPlans")
    .set({ nextPassAt: now })
    .where("projectId", "=", projectId)
    .where("nextPassAt", ">", now)
    .execute();
}

export type Candidate = UserRef & { email: string };

/** Whom a campaign is for; without an expression everyone. */
export type Audience = { campaignId: string; expression: AudienceExpression | null; evaluatedAt: number };

/** Users of an audience who have an email trait and not this campaign yet, by lane and key, after `after`; of one lane, or of all. */
export async function findCandidates(
  db: Db,
  projectId: string,
  { campaignId, expression, evaluatedAt }: Audience,
  page: { lane: number | null; after: string | null; limit: number },
): Promise<Candidate[]> {
  const audience =
    expression === null ? allUsers(projectId) : matchingUsers(projectId, expression, evaluatedAt);
  const place =
    page.lane === null
      ? sql`true`
      : sql`u.lane = ${page.lane} and u.user_key > ${page.after ?? "00000000-0000-0000-0000-000000000000"}`;
  const { rows } = await sql<Candidate>`
    select u.lane, u.user_key as "userKey", u.traits ->> 'email' as email
    from ${audience} and ${place} and jsonb_typeof(u.traits -> 'email') = 'string' and not exists (
      select from deliveries d where d.lane = u.lane and d.user_key = u.user_key and d.campaign_id = ${campaignId}
    )
    order by u.lane, u.user_key limit ${page.limit}`.execute(db);
  return rows;
}

/** A message to plan. `now` is when it was decided, epoch milliseconds. */
export type NewSend = UserRef & { campaignId: string; projectId: string; variantId: string; now: number };

/**
 * Plans messages of a campaign that runs at this moment, for users who are still there: a delivery, and its place in the queue.
 * One that is there already stays as it is.
 */
export const insertSends = rowsStatement<NewSend, Record<never, never>>(
  "insert_email_sends",
  {
    lane: "int2",
    userKey: "uuid",
    campaignId: "uuid",
    projectId: "uuid",
    variantId: "uuid",
    now: "int8",
  },
  `,
  held as (
    select i.* from input i
    join campaigns c on c.id = i.campaign_id and c.project_id = i.project_id and c.status = 'running'
    join users u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    order by u.lane, u.user_key for key share of u
  ),
  made as (
    insert into deliveries (lane, user_key, campaign_id, project_id, variant_id, state, queued_at)
    select lane, user_key, campaign_id, project_id, variant_id, 'queued', now from held
    on conflict do nothing
    returning lane, user_key, campaign_id, project_id, queued_at
  )
  insert into email_sends (lane, user_key, campaign_id, project_id, status, due_at)
  select lane, user_key, campaign_id, project_id, 'waiting', queued_at from made
  on conflict do nothing`,
);

/** Moves a plan on from where it stood; false when somebody else did so before. */
export async function movePlan(
  tx: Db,
  projectId: string,
  campaignId: string,
  move: { from: Cursor; to: Cursor; nextPassAt: number | null },
): Promise<boolean> {
  const { from, to, nextPassAt } = move;
  const { numUpdatedRows } = await tx
    .updateTable("emailPlans")
    .set({
      afterLane: to?.lane ?? null,
      afterUser: to?.userKey ?? null,
      ...(nextPassAt === null ? {} : { nextPassAt, passes: sql<number>`passes + 1` }),
      ...withoutPlanFault,
    })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("afterLane", "is not distinct from", from?.lane ?? null)
    .where("afterUser", "is not distinct from", from?.userKey ?? null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
