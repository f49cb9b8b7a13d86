import { sql } from "kysely";
import { HOUR_MS } from "../../../platform/clock.ts";
import type { Connection, Db } from "../../../platform/db/db.ts";
import { rowsStatement } from "../../../platform/db/rows-statement.ts";
import type { UserRef } from "../../../platform/ids.ts";
import { allUsers, matchingUsers } from "../../audience/public.ts";
import type { AudienceExpression } from "../../audience/schema.ts";
import { newDeliveriesCte } from "../../deliveries/public.ts";
import type { Cursor } from "../../deliveries/rules.ts";
import { confirmAddressesCtes } from "../../users/public.ts";
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

/** `addressGivenAt` is set while a publishable key gave the address and mail does not go to it yet. */
export type Candidate = UserRef & { email: string; addressGivenAt: number | null };

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
    select u.lane, u.user_key as "userKey", u.traits ->> 'email' as email, u.address_given_at as "addressGivenAt"
    from ${audience} and ${place} and jsonb_typeof(u.traits -> 'email') = 'string' and not exists (
      select from deliveries d where d.lane = u.lane and d.user_key = u.user_key and d.campaign_id = ${campaignId}
    )
    order by u.lane, u.user_key limit ${page.limit}`.execute(db);
  return rows;
}

/** A message to plan. `now` is when it was decided, epoch milliseconds. */
export type NewSend = UserRef & {
  campaignId: string;
  projectId: string;
  variantId: string;
  now: number;
} & Pick<Candidate, "addressGivenAt">;

/**
 * Plans messages of a campaign that runs at this moment, for users who are still there: a delivery, and its place in the queue.
 * One that is there already stays as it is. An address that a publishable key gave becomes one that mail goes to, and is counted in
 * the hour in which it was given; one that is another by now is left to the next pass.
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
    addressGivenAt: "int8",
  },
  `,
  running as (
    select i.* from input i
    join campaigns c on c.id = i.campaign_id and c.project_id = i.project_id and c.status = 'running'
  ),
  ${confirmAddressesCtes("running")},
  counted as (
    insert into address_intakes as t (project_id, hour_at, addresses)
    select project_id, address_given_at - address_given_at % ${HOUR_MS}, count(*) from confirmed_addresses group by 1, 2
    on conflict (project_id, hour_at) do update set addresses = t.addresses + excluded.addresses
  ),
  locked as (
    select i.* from running i
    join users u on u.lane = i.lane and u.user_key = i.user_key and u.project_id = i.project_id
    where i.address_given_at is null
    order by u.lane, u.user_key for key share of u
  ),
  -- Those whose address was confirmed are held by that.
  held as (
    select * from locked
    union all
    select i.* from running i join confirmed_addresses c on c.user_key = i.user_key
  ),
  ${newDeliveriesCte("held", "now")}
  insert into email_sends (lane, user_key, campaign_id, project_id, status, due_at)
  select lane, user_key, campaign_id, project_id, 'waiting', queued_at from new_deliveries
  on conflict do nothing`,
);

/**
 * How many addresses of publishable keys were taken up of each of some hours (their starts, epoch ms), which are held until the
 * transaction ends: only one process at a time takes up more of them.
 */
export async function holdIntakes(
  client: Connection,
  projectId: string,
  hours: readonly number[],
): Promise<Map<number, number>> {
  const { rows } = await client.query<{ hourAt: number; addresses: number }>({
    name: "hold_address_intakes",
    text: `
      insert into address_intakes as t (project_id, hour_at) select $1, h from unnest($2::int8[]) h order by h
      on conflict (project_id, hour_at) do update set addresses = t.addresses
      returning hour_at as "hourAt", addresses`,
    values: [projectId, hours],
  });
  return new Map(rows.map(({ hourAt, addresses }) => [hourAt, addresses]));
}

/**
 * Moves a plan on from where it stood; false when somebody else did so before. `unconfirmed`: users of the page whose address waits
 * for the server's word, which are summed up over the pass.
 */
export async function movePlan(
  tx: Db,
  projectId: string,
  campaignId: string,
  move: { from: Cursor; to: Cursor; nextPassAt: number | null; unconfirmed: number },
): Promise<boolean> {
  const { from, to, nextPassAt, unconfirmed } = move;
  const soFar = sql<number>`unconfirmed_so_far + ${unconfirmed}`;
  const { numUpdatedRows } = await tx
    .updateTable("emailPlans")
    .set({
      afterLane: to?.lane ?? null,
      afterUser: to?.userKey ?? null,
      ...(nextPassAt === null
        ? { unconfirmedSoFar: soFar }
        : { nextPassAt, passes: sql<number>`passes + 1`, unconfirmed: soFar, unconfirmedSoFar: 0 }),
      ...withoutPlanFault,
    })
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("afterLane", "is not distinct from", from?.lane ?? null)
    .where("afterUser", "is not distinct from", from?.userKey ?? null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
