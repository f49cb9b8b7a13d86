import { sql } from "kysely";
import type { UserRef } from "../../domain/ids.ts";
import type { Db } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { isVisitorSql } from "../users/identities/public.ts";

/** The projects with a visitor who was seen last before an instant (epoch ms). */
export async function findVisitedAcrossProjects(db: Db, before: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p.id from ${t.projects} p
    where exists (
      select from ${t.users} u where u.project_id = p.id and ${isVisitorSql("u")} and u.first_seen_at < ${before} and u.last_seen_at < ${before}
    )`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Visitors of a project who were seen last before an instant (epoch ms), those who came first before others: an index has them in this order.
 */
export async function findLongGone(
  db: Db,
  projectId: string,
  { before, limit }: { before: number; limit: number },
): Promise<UserRef[]> {
  const { rows } = await sql<UserRef>`
    select u.lane, u.user_key as "userKey" from ${t.users} u
    where u.project_id = ${projectId} and ${isVisitorSql("u")} and u.first_seen_at < ${before} and u.last_seen_at < ${before}
    order by u.first_seen_at, u.user_key limit ${limit}`.execute(db);
  return rows;
}

/** Whether a visitor was not seen since an instant (epoch ms). Locks them until the transaction ends. */
export async function isStillGone(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  before: number,
): Promise<boolean> {
  const { rows } = await sql<{ isGone: boolean }>`
    select last_seen_at < ${before} as "isGone" from ${t.users}
    where lane = ${lane} and user_key = ${userKey} and project_id = ${projectId} for update`.execute(tx);
  return rows[0]?.isGone ?? false;
}
