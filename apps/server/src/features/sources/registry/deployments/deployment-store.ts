import { type Selectable, sql } from "kysely";
import type { Db, Tables } from "../../../../platform/db/db.ts";
import { t } from "../../../../platform/db/statements/table-names.ts";
import { type KnownDeployment, MOST_AHEAD_MS } from "../rules.ts";

export type DeploymentRow = Selectable<Tables["deployments"]>;

/** By what a deployment is known to its reporter. */
export type DeploymentKey = Pick<DeploymentRow, "sourceId" | "environment" | "deploymentKey">;

/** Answers the row, or null where there is one with that key. */
export async function insertDeployment(db: Db, row: DeploymentRow): Promise<DeploymentRow | null> {
  const inserted = await db
    .insertInto("deployments")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["projectId", "sourceId", "environment", "deploymentKey"]).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

/** A place where commits are deployed. */
export type DeploymentPlace = Pick<DeploymentRow, "projectId" | "sourceId" | "environment">;

/**
 * Dates the deployments of a place at most `now` that lie further ahead than a report may, in their order: they were recorded by a clock that
 * was ahead, and none that follows would become the current one.
 */
export async function dateBack(
  db: Db,
  { projectId, sourceId, environment }: DeploymentPlace,
  now: number,
): Promise<void> {
  await sql`
    update ${t.deployments} d set deployed_at = ${now} - ahead.place
    from (
      select id, row_number() over (order by deployed_at desc, deployment_key desc) as place from ${t.deployments}
      where project_id = ${projectId} and source_id = ${sourceId} and environment = ${environment}
        and deployed_at > ${now + MOST_AHEAD_MS}
    ) ahead
    where d.id = ahead.id and d.project_id = ${projectId}`.execute(db);
}

export async function lockDeployment(
  db: Db,
  projectId: string,
  { sourceId, environment, deploymentKey }: DeploymentKey,
): Promise<DeploymentRow> {
  return db
    .selectFrom("deployments")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("sourceId", "=", sourceId)
    .where("environment", "=", environment)
    .where("deploymentKey", "=", deploymentKey)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Changes a deployment that was not live so far, and is still as it was read. */
export async function updateDeployment(
  db: Db,
  projectId: string,
  { id, status: former }: Pick<DeploymentRow, "id" | "status">,
  { status, deployedAt, url, label }: KnownDeployment,
): Promise<DeploymentRow> {
  return db
    .updateTable("deployments")
    .set({ status, deployedAt, url, label })
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .where("status", "=", former)
    .where("status", "<>", "success")
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type DeploymentFilter = { sourceId: string | undefined; environment: string | undefined };

/** Newest first, by the time at which they went live. */
export async function listDeployments(
  db: Db,
  projectId: string,
  { sourceId, environment }: DeploymentFilter,
  window: { offset: number; limit: number },
): Promise<{ rows: DeploymentRow[]; total: number }> {
  const matching = db
    .selectFrom("deployments")
    .where("projectId", "=", projectId)
    .$if(sourceId !== undefined, (query) => query.where("sourceId", "=", sourceId ?? ""))
    .$if(environment !== undefined, (query) => query.where("environment", "=", environment ?? ""));
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy("deployedAt", "desc")
    .orderBy("id", "desc")
    .offset(window.offset)
    .limit(window.limit)
    .execute();
  return { rows, total };
}

/**
 * What is deployed now, by source and environment: the success with the greatest (deployedAt, deploymentId), so that late, repeated and
 * reordered reports change nothing.
 */
export async function listCurrentDeployments(
  db: Db,
  projectId: string,
  sourceIds: readonly string[],
): Promise<DeploymentRow[]> {
  if (sourceIds.length === 0) return [];
  return db
    .selectFrom("deployments")
    .distinctOn(["sourceId", "environment"])
    .selectAll()
    .where("projectId", "=", projectId)
    .where("sourceId", "in", sourceIds)
    .where("status", "=", "success")
    .orderBy("sourceId")
    .orderBy("environment")
    .orderBy("deployedAt", "desc")
    .orderBy("deploymentKey", "desc")
    .execute();
}

/** The commits of followed refs that were last recorded as deployed, by environment. */
export async function listFollowed(
  db: Db,
  projectId: string,
  sourceId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom("deployments")
    .distinctOn("environment")
    .select(["environment", "sha"])
    .where("projectId", "=", projectId)
    .where("sourceId", "=", sourceId)
    .where("provider", "=", "ref")
    .orderBy("environment")
    .orderBy("deployedAt", "desc")
    .orderBy("deploymentKey", "desc")
    .execute();
  return new Map(rows.map(({ environment, sha }) => [environment, sha]));
}

/** The status of deployments that a provider reported, of these ids there; by environment and id, with a blank between. */
export async function listKnownDeployments(
  db: Db,
  projectId: string,
  sourceId: string,
  provider: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, DeploymentRow["status"]>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom("deployments")
    .select(["environment", "deploymentKey", "status"])
    .where("projectId", "=", projectId)
    .where("sourceId", "=", sourceId)
    .where("provider", "=", provider)
    .where("deploymentKey", "in", keys)
    .execute();
  return new Map(
    rows.map(({ environment, deploymentKey, status }) => [`${environment} ${deploymentKey}`, status]),
  );
}
