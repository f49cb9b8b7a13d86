import { sql } from "kysely";
import type { Connection, Db } from "../../../platform/db/db.ts";
import { withValue } from "../../../platform/db/statements/fragment.ts";
import { valuesStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { farAheadSql, type Look } from "../../../platform/time/far-ahead.ts";
import { MAX_WAIT_MS } from "../authoring/steps.pure.ts";

/** A journey that is under way, with what it is. */
export type MovingJourney = {
  id: string;
  projectId: string;
  status: "draft" | "running" | "paused" | "ended";
  version: number;
  definition: unknown;
  /** Waits that were changed: users who are there are due at another instant. */
  retimedSteps: string[];
  /** The event of its goal; null where it has none. */
  goalEvent: string | null;
};

/** Journeys by their ids (UUIDs), of any project. */
export async function readMovingAcrossProjects(db: Db, ids: readonly string[]): Promise<MovingJourney[]> {
  const { rows } = await sql<MovingJourney>`
    select j.id, j.project_id as "projectId", j.status, j.version, j.definition, j.retimed_steps as "retimedSteps", g.target_event as "goalEvent"
    from ${t.journeys} j left join ${t.goals} g on g.id = j.goal_id
    where j.id = any(${[...ids]}::uuid[])`.execute(db);
  return rows;
}

/** To which journeys (UUIDs) campaigns belong, of any project; null for none. A campaign that is gone is left out. */
export async function readJourneysOfCampaignsAcrossProjects(
  db: Db,
  ids: readonly string[],
): Promise<{ campaignId: string; journeyId: string | null }[]> {
  const { rows } = await sql<{ campaignId: string; journeyId: string | null }>`
    select id as "campaignId", journey_id as "journeyId" from ${t.campaigns} where id = any(${[...ids]}::uuid[])`.execute(
    db,
  );
  return rows;
}

const lockJourney = valuesStatement<
  Pick<MovingJourney, "id" | "projectId" | "status" | "version">,
  { id: string }
>(
  { name: "lock_journey", reach: "config" },
  { id: "uuid", projectId: "uuid", status: "text", version: "int4" },
  ({ id, projectId, status, version }) => `
  select id from ${t.journeys}
  where id = ${id} and project_id = ${projectId} and status = ${status}::campaign_status and version = ${version} for share`,
);

/**
 * Whether a journey is still as it was read, and stays so until the transaction ends: what changes it waits. So users are moved neither to a
 * step that was taken away meanwhile nor after a pause.
 */
export async function isStill(
  client: Connection,
  { id, projectId, status, version }: MovingJourney,
): Promise<boolean> {
  return (await lockJourney(client, { id, projectId, status, version })).length > 0;
}

/** A journey (UUID), and since when there is something to do for it, or from when on; epoch milliseconds. */
export type DueJourney = { id: string; dueAt: number };

/** The journeys that run and have users who are or come due, and those that have ended with users inside. */
export async function findDueJourneysAcrossProjects(db: Db, { now, until }: Look): Promise<DueJourney[]> {
  const inside = sql`from ${t.journeyEntries} e where e.journey_id = j.id and e.left_at is null`;
  const isFar = withValue((at) => farAheadSql("e.due_at", at, MAX_WAIT_MS), now);
  const { rows } = await sql<DueJourney>`
    select j.id, case when j.status = 'ended' or j.retimed_steps <> '{}' or f.is_far then ${now} else d.due_at end as "dueAt"
    from ${t.journeys} j
    cross join lateral (select exists (select ${inside} and ${isFar}) as is_far) f
    left join lateral (select e.due_at ${inside} order by e.due_at limit 1) d on true
    where (j.status = 'running' and (j.retimed_steps <> '{}' or f.is_far or d.due_at <= ${until}))
      or (j.status = 'ended' and d.due_at is not null)
    order by j.id`.execute(db);
  return rows;
}
