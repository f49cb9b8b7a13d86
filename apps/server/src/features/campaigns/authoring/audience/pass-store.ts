import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { type SqlText, sqlText } from "../../../../platform/db/statements/sql-text.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";

/**
 * The way of a campaign through its audience, user by user in the order of their lanes and keys. Only a campaign that is sent `once` has
 * users whom it has passed: any other comes back to them.
 */
export type Pass = {
  once: boolean;
  /** When it was through, epoch milliseconds; null while it is not, and without `once`. */
  endedAt: number | null;
  /** The last user that it has looked at; null before the first. */
  after: { lane: number; userKey: string } | null;
};

/** The pass of a campaign that goes through its audience again and again, and of one that has not begun. */
export const ENDLESS: Pass = { once: false, endedAt: null, after: null };

/** SQL: the campaign `c` is sent once, and its sweep `s` has gone through the audience as it is now. */
export const isPassOver = (c: string, s: string): SqlText =>
  sqlText(`(${c}.once and ${s}.pass = ${c}.pass and ${s}.passed_at is not null)`);

type Row = { campaignId: string; endedAt: number | null } & (
  | { lane: number; userKey: string }
  | { lane: null; userKey: null }
);

/** What of a campaign says whether it has a pass that ends. */
type Passing = { id: string; once: boolean };

/** The passes of campaigns, by id (UUID). Only those that are sent once are looked up. */
export async function findPasses(
  db: Db,
  projectId: string,
  campaigns: readonly Passing[],
): Promise<(campaign: Passing) => Pass> {
  const ids = campaigns.flatMap(({ id, once }) => (once ? [id] : []));
  if (ids.length === 0) return () => ENDLESS;
  const isOver = isPassOver("c", "s");
  const isUnderWay = sql`s.pass = c.pass`;
  const { rows } = await sql<Row>`
    select c.id as "campaignId", case when ${isOver} then s.passed_at end as "endedAt",
      case when ${isUnderWay} then s.after_lane end as lane, case when ${isUnderWay} then s.after_user end as "userKey"
    from ${t.campaigns} c left join ${t.campaignSweeps} s on s.campaign_id = c.id
    where c.project_id = ${projectId} and c.id = any(${ids}::uuid[])`.execute(db);
  const passes = new Map(
    rows.map(({ campaignId, endedAt, ...row }): [string, Pass] => [
      campaignId,
      { once: true, endedAt, after: row.lane === null ? null : { lane: row.lane, userKey: row.userKey } },
    ]),
  );
  return ({ id }) => passes.get(id) ?? ENDLESS;
}

/** The pass of a campaign. */
export const findPass = async (db: Db, projectId: string, campaign: Passing): Promise<Pass> =>
  (await findPasses(db, projectId, [campaign]))(campaign);

/** Whether the pass has left a user behind who has no delivery: then the user gets none. */
export function isBehind({ once, endedAt, after }: Pass, user: { lane: number; userKey: string }): boolean {
  if (!once) return false;
  if (endedAt !== null) return true;
  if (after === null) return false;
  return user.lane < after.lane || (user.lane === after.lane && user.userKey <= after.userKey);
}

/** SQL: the same of the user `u`. */
export function isBehindSql({ once, endedAt, after }: Pass, u: string): RawBuilder<boolean> {
  if (!once) return sql`false`;
  if (endedAt !== null) return sql`true`;
  if (after === null) return sql`false`;
  return sql`(${sqlText(`${u}.lane, ${u}.user_key`)}) <= (${after.lane}::int2, ${after.userKey}::uuid)`;
}

/** Locks a campaign until the transaction ends, if it runs and its only pass is over. */
export async function lockPassed(tx: Db, projectId: string, campaignId: string): Promise<boolean> {
  const { rows } = await sql`
    select from ${t.campaigns} c
    where c.id = ${campaignId} and c.project_id = ${projectId} and c.status = 'running' and exists (
      select from ${t.campaignSweeps} s where s.campaign_id = c.id and ${isPassOver("c", "s")}
    ) for update of c`.execute(tx);
  return rows.length > 0;
}
