import { sql } from "kysely";
import type { UserRef } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";

/** A visitor who becomes a user, at an instant (epoch ms). `visitor` and `user` are keys of one project. */
export type NewLink = { visitor: UserRef & { externalId: string }; user: UserRef; at: number };

/** Records that a visitor is a user from now on. Answers false, and records nothing, where the visitor is one already. */
export async function insertLink(
  tx: Db,
  projectId: string,
  { visitor, user, at }: NewLink,
): Promise<boolean> {
  const { lane, userKey, externalId } = visitor;
  const row = await tx
    .insertInto("identities")
    .values({
      lane,
      userKey,
      projectId,
      externalId,
      toLane: user.lane,
      toUserKey: user.userKey,
      linkedAt: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("lane")
    .executeTakeFirst();
  return row !== undefined;
}

/** What became of what the visitor had. Each field adds to, or replaces, that of `identities` with its name. */
export async function updateLink(
  tx: Db,
  projectId: string,
  { lane, userKey }: UserRef,
  { units, dropped, isMoving }: { units: number; dropped: number; isMoving: boolean },
): Promise<void> {
  await sql`
    update ${t.identities} set units = units + ${units}, dropped = dropped + ${dropped}, is_moving = ${isMoving}
    where lane = ${lane} and user_key = ${userKey} and project_id = ${projectId}`.execute(tx);
}

/** A visitor whose events are still to be moved to the user whom they became. */
export type MovingLink = { projectId: string; visitor: UserRef; user: UserRef & { externalId: string } };

type MovingRow = {
  projectId: string;
  lane: number;
  userKey: string;
  toLane: number;
  toUserKey: string;
  externalId: string;
};

/** Locks the visitor who waits longest for their events to be moved, after their user. Another process skips these and takes the next. */
export async function lockMovingLinkAcrossProjects(tx: Db): Promise<MovingLink | null> {
  const { rows } = await sql<MovingRow>`
    select l.project_id as "projectId", l.lane, l.user_key as "userKey", l.to_lane as "toLane", l.to_user_key as "toUserKey",
      u.external_id as "externalId"
    from ${t.identities} l
    join ${t.users} u on u.lane = l.to_lane and u.user_key = l.to_user_key and u.project_id = l.project_id
    where l.is_moving order by l.linked_at, l.user_key limit 1 for update of u, l skip locked`.execute(tx);
  const [row] = rows;
  if (row === undefined) return null;
  const { projectId, lane, userKey, toLane, toUserKey, externalId } = row;
  return { projectId, visitor: { lane, userKey }, user: { lane: toLane, userKey: toUserKey, externalId } };
}

/** Whether events of any visitor are still to be moved. */
export async function areMovingAcrossProjects(db: Db): Promise<boolean> {
  const { rows } = await sql<{ are: boolean }>`
    select exists (select from ${t.identities} where is_moving) as are`.execute(db);
  return rows[0]?.are ?? false;
}

/** A visitor who became a user: `units` deliveries stay under their key, and events may (`isMoving`). */
export type UserLink = UserRef & { externalId: string; units: number; isMoving: boolean };

/** The visitors who became a user, locked until the transaction ends. */
export async function lockLinksOf(tx: Db, projectId: string, user: UserRef): Promise<UserLink[]> {
  const { rows } = await sql<UserLink>`
    select lane, user_key as "userKey", external_id as "externalId", units, is_moving as "isMoving" from ${t.identities}
    where to_lane = ${user.lane} and to_user_key = ${user.userKey} and project_id = ${projectId}
    order by lane, user_key for update`.execute(tx);
  return rows;
}

/** Forgets which visitors became a user, who is erased. */
export async function deleteLinksOf(tx: Db, projectId: string, user: UserRef): Promise<void> {
  await sql`
    delete from ${t.identities}
    where to_lane = ${user.lane} and to_user_key = ${user.userKey} and project_id = ${projectId}`.execute(tx);
}
