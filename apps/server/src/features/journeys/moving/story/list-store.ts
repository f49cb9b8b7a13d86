import { sql } from "kysely";
import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import type { Did } from "../../authoring/walk.pure.ts";
import type { Entry } from "../entry-store.ts";

/** An entry as lists show it. */
export type ShownEntry = Pick<
  Entry,
  "occasion" | "stepId" | "enteredAt" | "arrivedAt" | "leftAt" | "leftBy" | "arm"
> & {
  externalUserId: string;
  dueAt: number | null;
};

/** The entries of a journey, newest first. */
export async function listEntryRows(
  db: Db,
  projectId: string,
  journeyId: string,
  { state, stepId }: { state: "inside" | "left" | null; stepId: string | null },
  { offset, limit }: { offset: number; limit: number },
): Promise<{ entries: ShownEntry[]; total: number }> {
  const isInState =
    state === null ? sql`true` : state === "inside" ? sql`e.left_at is null` : sql`e.left_at is not null`;
  const isAt = stepId === null ? sql`true` : sql`e.step_id = ${stepId}`;
  const matching = sql`e.project_id = ${projectId} and e.journey_id = ${journeyId} and ${isInState} and ${isAt}`;
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from ${t.journeyEntries} e where ${matching}`.execute(db);
  const { rows: entries } = await sql<ShownEntry>`
    select coalesce(u.external_id, '') as "externalUserId", e.occasion, e.step_id as "stepId", e.entered_at as "enteredAt", e.arrived_at as "arrivedAt",
      case when e.left_at is null then e.due_at end as "dueAt", e.left_at as "leftAt", e.left_by as "leftBy", e.arm
    from ${t.journeyEntries} e left join ${t.users} u on u.lane = e.lane and u.user_key = e.user_key
    where ${matching}
    order by e.entered_at desc, e.lane desc, e.user_key desc, e.occasion desc offset ${offset} limit ${limit}`.execute(
    db,
  );
  return { entries, total: counted[0]?.total ?? 0 };
}

/** How many users are at each step of a journey and what those did who left it, by step and deed, with a NUL between. */
export async function readCounts(
  db: Db,
  projectId: string,
  journeyId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ stepId: string; did: string; count: number }>`
    select step_id as "stepId", did, count from ${t.journeyCounts}
    where project_id = ${projectId} and journey_id = ${journeyId}`.execute(db);
  return new Map(rows.map(({ stepId, did, count }) => [`${stepId}\0${did}`, count]));
}

/** What a user did at a step that they have left, as answers show it. */
export type ShownDeed = {
  occasion: number;
  stepId: string;
  did: Did;
  reason: string | null;
  version: number;
  at: number;
};

/** What a user did at the steps of a journey that they have left, the last ones first. */
export async function readDeeds(
  db: Db,
  projectId: string,
  journeyId: string,
  { lane, userKey }: UserRef,
  limit: number,
): Promise<ShownDeed[]> {
  const { rows } = await sql<ShownDeed>`
    select occasion, step_id as "stepId", did, reason, version, at from ${t.journeyMarks}
    where lane = ${lane} and user_key = ${userKey} and journey_id = ${journeyId} and project_id = ${projectId}
    order by occasion desc, ordinal desc limit ${limit}`.execute(db);
  return rows;
}

/** The users who are due at each step of a journey, at steps where one is; `now` is epoch milliseconds. */
export async function countDue(
  db: Db,
  projectId: string,
  journeyId: string,
  now: number,
): Promise<{ stepId: string; due: number }[]> {
  const { rows } = await sql<{ stepId: string; due: number }>`
    select step_id as "stepId", count(*) as due from ${t.journeyEntries}
    where project_id = ${projectId} and journey_id = ${journeyId} and left_at is null and due_at <= ${now}
    group by step_id order by step_id`.execute(db);
  return rows;
}
