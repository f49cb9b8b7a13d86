import type { Db } from "../../platform/db/db.ts";
import type { AgentRun } from "./schema.ts";
import { toRun } from "./store.ts";

type Head = { seq: number; hash: string; startSeq: number; startHash: string };

export async function findHead(db: Db, projectId: string): Promise<Head | null> {
  const head = await db
    .selectFrom("agentRunHeads")
    .select(["seq", "hash", "startSeq", "startHash"])
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  return head ?? null;
}

/** A run that is in the chain. */
export type Link = AgentRun & { chain: NonNullable<AgentRun["chain"]> };

/** Runs of the chain in its order, after the one of a number, or from the first that there is. */
export async function listLinks(
  db: Db,
  projectId: string,
  after: number | null,
  limit: number,
): Promise<Link[]> {
  const rows = await db
    .selectFrom("agentRuns")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("seq", "is not", null)
    .$if(after !== null, (query) => query.where("seq", ">", after))
    .orderBy("seq")
    .limit(limit)
    .execute();
  return rows.flatMap((row) => {
    const { chain, ...run } = toRun(row);
    return chain === null ? [] : [{ ...run, chain }];
  });
}

/** The projects that have a chain, or runs that say so. */
export async function listChainedProjectsAcrossProjects(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom("agentRunHeads")
    .select("projectId")
    .union(db.selectFrom("agentRuns").select("projectId").where("seq", "is not", null))
    .execute();
  return rows.map(({ projectId }) => projectId);
}
