import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../../platform/db/db.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import { newUuid } from "../../../platform/uuid.ts";
import type { SourceState } from "./schema.ts";

export type SourceRow = Selectable<Tables["sources"]>;
export type MappingRow = Selectable<Tables["mappings"]>;

export async function findSource(
  db: Db,
  projectId: string,
  id: string,
  lock: "read" | "for update" = "read",
): Promise<SourceRow | null> {
  const row = await db
    .selectFrom("sources")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .$if(lock === "for update", (query) => query.forUpdate())
    .executeTakeFirst();
  return row ?? null;
}

/** By id. */
export async function listSources(db: Db, projectId: string): Promise<SourceRow[]> {
  return db
    .selectFrom("sources")
    .selectAll()
    .where("projectId", "=", projectId)
    .orderBy(sql`id collate "C"`)
    .execute();
}

export async function countSources(db: Db, projectId: string): Promise<number> {
  const { sources } = await db
    .selectFrom("sources")
    .select(sql<number>`count(*)`.as("sources"))
    .where("projectId", "=", projectId)
    .executeTakeFirstOrThrow();
  return sources;
}

export type NewSource = Pick<
  SourceRow,
  "id" | "url" | "branch" | "credential" | "instructions" | "byOperator"
> &
  Partial<Pick<SourceRow, "kind">>;

/** Answers whether the project had none of that id. */
export async function insertSource(
  db: Db,
  projectId: string,
  source: NewSource,
  now: number,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("sources")
    .values({ ...source, projectId, createdAt: now, lookAt: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export type SourceChangeOfPeople = Partial<
  Pick<
    SourceRow,
    "kind" | "url" | "byOperator" | "branch" | "credential" | "instructions" | "enabled" | "paused"
  >
>;

/** Changes a source. With another kind, address, branch or credential its generation rises, and everything about it is looked at anew. */
export async function updateSource(
  db: Db,
  projectId: string,
  id: string,
  change: SourceChangeOfPeople,
  now: number,
): Promise<boolean> {
  const isAnother = ["kind", "url", "byOperator", "branch", "credential"].some((field) => field in change);
  const { numUpdatedRows } = await db
    .updateTable("sources")
    .set({
      ...change,
      lookAt: now,
      ...(isAnother
        ? {
            generation: sql<number>`generation + 1`,
            state: "pending" as const,
            reason: null,
            failures: 0,
            tipSha: null,
            pullsReadUntil: null,
          }
        : {}),
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteSource(db: Db, projectId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("sources")
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Has sources looked at soon; ids of sources that are not there are let pass. */
export async function lookSoon(
  db: Db,
  projectId: string,
  sourceIds: readonly string[],
  now: number,
): Promise<void> {
  // Locked in one order, so that two of these never wait for each other.
  await sql`
    with wanted as (
      select id from ${t.sources} where project_id = ${projectId} and id = any(${[...sourceIds]}::text[]) and look_at > ${now}
      order by id for no key update
    )
    update ${t.sources} set look_at = ${now}
    where project_id = ${projectId} and id in (select id from wanted)`.execute(db);
}

/** Mappings of a project, or of one of its sources, in the order of their environments. */
export async function listMappings(db: Db, projectId: string, sourceId?: string): Promise<MappingRow[]> {
  return db
    .selectFrom("mappings")
    .selectAll()
    .where("projectId", "=", projectId)
    .$if(sourceId !== undefined, (query) => query.where("sourceId", "=", sourceId ?? ""))
    .orderBy(sql`source_id collate "C"`)
    .orderBy(sql`environment collate "C"`)
    .execute();
}

export type NewMapping = Pick<
  MappingRow,
  "sourceId" | "environment" | "scope" | "follows" | "confirmedBy" | "confirmedAt"
>;

/** Makes the mapping of an environment, or confirms it anew; it keeps its id. */
export async function putMapping(db: Db, projectId: string, mapping: NewMapping): Promise<MappingRow> {
  const { scope, follows, confirmedBy, confirmedAt } = mapping;
  return db
    .insertInto("mappings")
    .values({ ...mapping, id: newUuid(confirmedAt), projectId })
    .onConflict((conflict) =>
      conflict
        .columns(["projectId", "sourceId", "environment"])
        .doUpdateSet({ scope, follows, confirmedBy, confirmedAt }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteMapping(
  db: Db,
  projectId: string,
  sourceId: string,
  environment: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("mappings")
    .where("projectId", "=", projectId)
    .where("sourceId", "=", sourceId)
    .where("environment", "=", environment)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** What a fetch found out, or why it failed. */
export type Fetched = {
  state: SourceState;
  reason: string | null;
  failures: number;
  tipSha?: string;
  fetchedAt?: number;
  /** Whether it found something new. */
  hasMoved?: boolean;
};

/** Writes what a fetch of this generation found out, while this process has the lease; answers the new revision, or null. */
export async function writeFetched(
  db: Db,
  projectId: string,
  { id, generation, leaseOwner }: Pick<SourceRow, "id" | "generation" | "leaseOwner">,
  { hasMoved, ...fetched }: Fetched,
): Promise<number | null> {
  const row = await db
    .updateTable("sources")
    .set({
      ...fetched,
      ...(hasMoved ? { fetchRevision: sql<number>`fetch_revision + 1` } : {}),
    })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("generation", "=", generation)
    .where("leaseOwner", "=", leaseOwner)
    .returning("fetchRevision")
    .executeTakeFirst();
  return row?.fetchRevision ?? null;
}
