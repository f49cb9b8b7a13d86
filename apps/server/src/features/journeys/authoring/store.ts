import { type Selectable, sql } from "kysely";
import { containing } from "../../../platform/db/containing.ts";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { JourneyStatus } from "./rules.ts";
import { type Definition, MAX_RUNNING } from "./schema.ts";

export type JourneyRow = Selectable<Tables["journeys"]>;

export type NewJourney = Pick<
  JourneyRow,
  "id" | "name" | "goalId" | "triggerEvents" | "exitsOnGoal" | "createdBy" | "createdAt"
> & {
  definition: Definition;
};

/** Inserts a draft. */
export async function insertJourney(db: Db, projectId: string, journey: NewJourney): Promise<void> {
  const { definition, ...row } = journey;
  await db
    .insertInto("journeys")
    .values({
      ...row,
      projectId,
      status: "draft",
      definition: JSON.stringify(definition),
      updatedAt: journey.createdAt,
    })
    .execute();
}

/** Keeps what a journey is at a version. */
export async function insertJourneyVersion(
  db: Db,
  projectId: string,
  version: Omit<Selectable<Tables["journeyVersions"]>, "projectId" | "definition"> & {
    definition: Definition;
  },
): Promise<void> {
  await db
    .insertInto("journeyVersions")
    .values({ ...version, projectId, definition: JSON.stringify(version.definition) })
    .execute();
}

/** What a journey was at a version, as it is stored; null where it was never at it. */
export async function findJourneyVersion(
  db: Db,
  projectId: string,
  journeyId: string,
  version: number,
): Promise<unknown> {
  const row = await db
    .selectFrom("journeyVersions")
    .select("definition")
    .where("projectId", "=", projectId)
    .where("journeyId", "=", journeyId)
    .where("version", "=", version)
    .executeTakeFirst();
  return row?.definition ?? null;
}

export async function findJourney(
  db: Db,
  projectId: string,
  id: string,
  lock: "read" | "for share" | "for update" = "read",
): Promise<JourneyRow | null> {
  const row = await db
    .selectFrom("journeys")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .$if(lock === "for share", (query) => query.forShare())
    .$if(lock === "for update", (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** Newest first. */
export async function listJourneyRows(
  db: Db,
  projectId: string,
  { status, nameContains }: { status: JourneyStatus | null; nameContains: string | null },
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: JourneyRow[]; total: number }> {
  const matching = db
    .selectFrom("journeys")
    .where("projectId", "=", projectId)
    .$if(status !== null, (query) => query.where("status", "=", status ?? "draft"))
    .$if(nameContains !== null, (query) => query.where("name", "ilike", containing(nameContains ?? "")));
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .offset(offset)
    .limit(limit)
    .execute();
  return { rows, total };
}

export type JourneyChange = {
  name?: string;
  goalId?: string | null;
  definition?: Definition;
  triggerEvents?: string[];
  exitsOnGoal?: boolean;
  retimedSteps?: string[];
  version?: number;
};

export async function updateJourneyRow(
  db: Db,
  projectId: string,
  id: string,
  { definition, ...change }: JourneyChange & { updatedAt: number },
): Promise<void> {
  await db
    .updateTable("journeys")
    .set({ ...change, ...(definition === undefined ? {} : { definition: JSON.stringify(definition) }) })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("status", "!=", "ended")
    .execute();
}

/** Writes that all users at changed waits are due, unless the journey was changed meanwhile. */
export async function endRetiming(db: Db, projectId: string, id: string, version: number): Promise<void> {
  await db
    .updateTable("journeys")
    .set({ retimedSteps: [] })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("version", "=", version)
    .execute();
}

/** Moves a journey to another state; answers whether it was in one that leads there. The first launch and the end keep their instant. */
export async function moveJourney(
  db: Db,
  projectId: string,
  id: string,
  { from, to, now }: { from: readonly JourneyStatus[]; to: JourneyStatus; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("journeys")
    .set({
      status: to,
      updatedAt: now,
      ...(to === "running" ? { startedAt: sql<number>`coalesce(started_at, ${now})` } : {}),
      ...(to === "ended" ? { endedAt: now } : {}),
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("status", "in", from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether a project has room for one more journey that runs or is paused. Locks them, so that two are counted one after the other. */
export async function hasRoom(db: Db, projectId: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('journeys'), hashtext(${projectId}))`.execute(db);
  const { going } = await db
    .selectFrom("journeys")
    .select(sql<number>`count(*)`.as("going"))
    .where("projectId", "=", projectId)
    .where("status", "in", ["running", "paused"])
    .executeTakeFirstOrThrow();
  return going < MAX_RUNNING;
}

/** How many users are at each step of a journey. */
export async function countHere(
  db: Db,
  projectId: string,
  journeyId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ stepId: string; count: number }>`
    select step_id as "stepId", count from ${t.journeyCounts}
    where project_id = ${projectId} and journey_id = ${journeyId} and did = 'here' and count > 0`.execute(db);
  return new Map(rows.map(({ stepId, count }) => [stepId, count]));
}

/** What of some campaigns a journey shows, by their ids. */
export async function listStepCampaigns(
  db: Db,
  projectId: string,
  journeyIds: readonly string[],
): Promise<Pick<Selectable<Tables["campaigns"]>, "id" | "channel" | "status" | "name">[]> {
  if (journeyIds.length === 0) return [];
  return db
    .selectFrom("campaigns")
    .select(["id", "channel", "status", "name"])
    .where("projectId", "=", projectId)
    .where("journeyId", "in", [...journeyIds])
    .execute();
}
