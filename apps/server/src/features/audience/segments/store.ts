import { type Selectable, sql } from "kysely";
import { containing } from "../../../platform/db/containing.ts";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { AudienceExpression } from "../language/schema.ts";

export type SegmentRow = Selectable<Tables["segments"]>;

/** A version with its expression, as it was written. */
export type VersionRow = {
  id: string;
  version: number;
  expression: unknown;
  reason: string | null;
  agentRunId: string | null;
  createdBy: string;
  createdAt: number;
};

export type NewSegment = Omit<SegmentRow, "projectId" | "status" | "currentVersion" | "updatedAt">;

/** Inserts a segment at version 1; false when its key or idempotencyKey is taken. Waits for a concurrent request with the same key. */
export async function insertSegment(db: Db, projectId: string, segment: NewSegment): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto("segments")
    .values({ ...segment, projectId, status: "active", currentVersion: 1, updatedAt: segment.createdAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** `segmentId` and `version` are null for an audience that a campaign pins without a segment. */
export type NewVersion = {
  id: string;
  segmentId: string | null;
  version: number | null;
  expression: AudienceExpression;
  reason: string | null;
  agentRunId: string | null;
  createdBy: string;
  createdAt: number;
};

export async function insertVersion(db: Db, projectId: string, version: NewVersion): Promise<void> {
  await db
    .insertInto("audienceVersions")
    .values({ ...version, projectId, expression: JSON.stringify(version.expression) })
    .execute();
}

export async function findSegment(
  db: Db,
  projectId: string,
  [column, value]: readonly [column: "id" | "key" | "idempotencyKey", value: string],
  lock: "read" | "for update" = "read",
): Promise<SegmentRow | null> {
  const row = await db
    .selectFrom("segments")
    .selectAll()
    .where("projectId", "=", projectId)
    .where(column, "=", value)
    .$if(lock === "for update", (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** A segment with its current version. */
export type CurrentSegment = { segment: SegmentRow; current: VersionRow };

/** Which segments are meant; null where it does not matter. `contains` is a part of the name or the key. */
export type SegmentFilter = { status: SegmentRow["status"] | null; contains: string | null };

const segmentsLike = (db: Db, projectId: string, { status, contains }: SegmentFilter) =>
  db
    .selectFrom("segments")
    .where("projectId", "=", projectId)
    .$if(status !== null, (query) => query.where("status", "=", status ?? "active"))
    .$if(contains !== null, (query) => {
      const pattern = containing(contains ?? "");
      return query.where((row) => row.or([row("name", "ilike", pattern), row("key", "ilike", pattern)]));
    });

export async function countSegments(db: Db, projectId: string, filter: SegmentFilter): Promise<number> {
  const { total } = await segmentsLike(db, projectId, filter)
    .select(sql<number>`count(*)`.as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

/** Newest first, each with its current version. */
export async function listSegments(
  db: Db,
  projectId: string,
  filter: SegmentFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<CurrentSegment[]> {
  const segments = await segmentsLike(db, projectId, filter)
    .selectAll()
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .offset(offset)
    .limit(limit)
    .execute();
  // Reads the versions that were current above, so that a segment which is revised in between is shown as it was.
  const [ids, numbers] = [segments.map(({ id }) => id), segments.map(({ currentVersion }) => currentVersion)];
  const { rows } = await sql<VersionRow & { segmentId: string }>`
    select v.id, v.segment_id as "segmentId", v.version, v.expression, v.reason, v.agent_run_id as "agentRunId",
      v.created_by as "createdBy", v.created_at as "createdAt"
    from unnest(${ids}::uuid[], ${numbers}::int4[]) as s (id, version)
    join ${t.audienceVersions} v on v.segment_id = s.id and v.version = s.version
    where v.project_id = ${projectId}`.execute(db);
  const current = new Map(rows.map((row) => [row.segmentId, row]));
  return segments.flatMap((segment) => {
    const version = current.get(segment.id);
    return version === undefined ? [] : [{ segment, current: version }];
  });
}

const VERSION_COLUMNS = [
  "id",
  "version",
  "expression",
  "reason",
  "agentRunId",
  "createdBy",
  "createdAt",
] as const;

/** Newest first; all of them without a window. */
export async function listVersions(
  db: Db,
  projectId: string,
  segmentId: string,
  window: { offset: number; limit: number } | null = null,
): Promise<VersionRow[]> {
  return db
    .selectFrom("audienceVersions")
    .select(VERSION_COLUMNS)
    .where("projectId", "=", projectId)
    .where("segmentId", "=", segmentId)
    .orderBy("version", "desc")
    .$if(window !== null, (query) => query.offset(window?.offset ?? 0).limit(window?.limit ?? 0))
    .$narrowType<{ version: number }>()
    .execute();
}

/** How many campaigns pin a version of a segment, and how many of them have not ended. */
export type UseOfVersion = { segmentId: string; version: number; all: number; open: number };

/** The versions of segments that campaigns pin. `segmentIds` are ids of the API, as audiences keep them. */
export async function countUse(
  db: Db,
  projectId: string,
  segmentIds: readonly string[],
): Promise<UseOfVersion[]> {
  if (segmentIds.length === 0) return [];
  const { rows } = await sql<UseOfVersion>`
    select audience->>'segmentId' as "segmentId", (audience->>'segmentVersion')::int4 as version,
      count(*) as "all", count(*) filter (where status <> 'ended') as "open"
    from ${t.campaigns}
    where project_id = ${projectId} and audience->>'segmentId' = any(${[...segmentIds]}::text[])
    group by 1, 2`.execute(db);
  return rows;
}

export async function findVersion(
  db: Db,
  projectId: string,
  segmentId: string,
  version: number,
): Promise<VersionRow | null> {
  const row = await db
    .selectFrom("audienceVersions")
    .select(VERSION_COLUMNS)
    .where("projectId", "=", projectId)
    .where("segmentId", "=", segmentId)
    .where("version", "=", version)
    .$narrowType<{ version: number }>()
    .executeTakeFirst();
  return row ?? null;
}

export type SegmentChange = Partial<Pick<SegmentRow, "name" | "description" | "currentVersion" | "status">>;

/** Changes a segment; one that is archived keeps its version and its status. */
export async function updateSegmentRow(
  db: Db,
  projectId: string,
  id: string,
  change: SegmentChange & { updatedAt: number },
): Promise<boolean> {
  const needsActive = change.currentVersion !== undefined || change.status !== undefined;
  const { numUpdatedRows } = await db
    .updateTable("segments")
    .set(change)
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .$if(needsActive, (query) => query.where("status", "=", "active"))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Keys of segments by id. */
export async function findSegmentKeys(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("segments")
    .select(["id", "key"])
    .where("projectId", "=", projectId)
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/** How people call a segment; null where the project has none of this id. */
export async function findSegmentName(db: Db, projectId: string, id: string): Promise<string | null> {
  const row = await db
    .selectFrom("segments")
    .select("name")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.name ?? null;
}
