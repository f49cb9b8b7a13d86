import { type Selectable, sql } from "kysely";
import { apiId } from "../../domain/ids.ts";
import type { Db, Tables } from "../../platform/db/db.ts";
import type { AgentRun, RunReferences } from "./schema.ts";

type RunRow = Selectable<Tables["agentRuns"]>;

const toRun = (row: RunRow): AgentRun => ({
  id: apiId("run", row.id),
  kind: row.kind,
  goalId: row.goalId === null ? null : apiId("goal", row.goalId),
  campaignId: row.campaignId === null ? null : apiId("cmp", row.campaignId),
  // Only checked objects and lists are written to these columns.
  input: row.input as AgentRun["input"],
  output: row.output as AgentRun["output"],
  rationale: row.rationale,
  createdAt: row.createdAt,
});

/** `goalId` and `campaignId` are UUIDs of the request, which may not exist; `input` and `output` are compact JSON. */
export type NewRun = {
  id: string;
  kind: string;
  goalId: string;
  campaignId: string;
  input: string | null;
  output: string | null;
  rationale: string | null;
  idempotencyKey: string | null;
  createdAt: number;
};

/**
 * Logs a run, or answers the earlier one with the same idempotencyKey; a concurrent duplicate waits for the first to commit. A goal or
 * campaign that the project does not have is left out of the answer.
 */
export async function insertRun(
  db: Db,
  projectId: string,
  { goalId, campaignId, ...run }: NewRun,
): Promise<{ run: AgentRun; isNew: boolean }> {
  const row = await db
    .insertInto("agentRuns")
    .values(({ selectFrom }) => ({
      ...run,
      projectId,
      goalId: selectFrom("goals").select("id").where("projectId", "=", projectId).where("id", "=", goalId),
      campaignId: selectFrom("campaigns")
        .select("id")
        .where("projectId", "=", projectId)
        .where("id", "=", campaignId),
    }))
    .onConflict((conflict) => conflict.columns(["projectId", "idempotencyKey"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return { run: toRun(row), isNew: true };
  const original = await db
    .selectFrom("agentRuns")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("idempotencyKey", "=", run.idempotencyKey)
    .executeTakeFirstOrThrow();
  return { run: toRun(original), isNew: false };
}

/** `undefined` does not filter; ids are UUIDs. */
export type RunFilter = {
  kind: string | undefined;
  goalId: string | undefined;
  campaignId: string | undefined;
};

/** Newest first, with the names of the goals and campaigns of these runs. */
export async function listRuns(
  db: Db,
  projectId: string,
  filter: RunFilter,
  window: { offset: number; limit: number },
): Promise<{ runs: AgentRun[]; references: RunReferences; total: number }> {
  let matching = db.selectFrom("agentRuns as r").where("r.projectId", "=", projectId);
  for (const column of ["kind", "goalId", "campaignId"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) matching = matching.where(`r.${column}`, "=", wanted);
  }
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .leftJoin("goals as g", "g.id", "r.goalId")
    .leftJoin("campaigns as c", "c.id", "r.campaignId")
    .selectAll("r")
    .select(["g.name as goalName", "c.name as campaignName"])
    .orderBy("r.createdAt", "desc")
    .orderBy("r.id", "desc")
    .offset(window.offset)
    .limit(window.limit)
    .execute();
  const references: RunReferences = { goals: {}, campaigns: {} };
  const runs = rows.map(({ goalName, campaignName, ...row }) => {
    const run = toRun(row);
    if (run.goalId !== null && goalName !== null) references.goals[run.goalId] = goalName;
    if (run.campaignId !== null && campaignName !== null) references.campaigns[run.campaignId] = campaignName;
    return run;
  });
  return { runs, references, total };
}

/** Whether the project has a run of this UUID. */
export async function hasRun(db: Db, projectId: string, uuid: string): Promise<boolean> {
  const row = await db
    .selectFrom("agentRuns")
    .select("id")
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    .executeTakeFirst();
  return row !== undefined;
}

/** A run of the project by its UUID, or null. */
export async function findRun(db: Db, projectId: string, uuid: string): Promise<AgentRun | null> {
  const row = await db
    .selectFrom("agentRuns")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    .executeTakeFirst();
  return row === undefined ? null : toRun(row);
}
