import type { Db } from "../../platform/db/db.ts";
import { type RunFilter, toRun } from "../runs/public.ts";
import type { AgentRun } from "../runs/schema.ts";
import type { RowPage } from "./walk.ts";

/** Runs that one statement reads: each may have 64 KB. */
const RUNS = 200;

export type RunPlace = { createdAt: number; id: string };

/** The place of a run (UUID); null where the project has none. */
export async function findRunPlace(db: Db, projectId: string, id: string): Promise<RunPlace | null> {
  const row = await db
    .selectFrom("agentRuns")
    .select(["id", "createdAt"])
    .where("projectId", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirst();
  return row ?? null;
}

/** Instants are epoch milliseconds, and included. */
export type ChosenRuns = Omit<RunFilter, "id"> & { since?: number | undefined; until: number };

/** The next runs, oldest first. */
export async function nextRuns(
  db: Db,
  projectId: string,
  { since, until, ...filter }: ChosenRuns,
  after: RunPlace | null,
): Promise<RowPage<AgentRun, RunPlace>> {
  let query = db
    .selectFrom("agentRuns")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("createdAt", "<=", until);
  if (since !== undefined) query = query.where("createdAt", ">=", since);
  for (const column of ["kind", "writtenBy", "goalId", "campaignId"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) query = query.where(column, "=", wanted);
  }
  if (after !== null)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("createdAt", "id"), ">", tuple(after.createdAt, after.id)),
    );
  const rows = await query.orderBy("createdAt").orderBy("id").limit(RUNS).execute();
  const last = rows.length < RUNS ? undefined : rows.at(-1);
  return { rows: rows.map(toRun), next: last ?? null };
}
