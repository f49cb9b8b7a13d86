import type { Db } from "../../../platform/db/db.ts";
import type { AgentRun } from "../schema.ts";
import { toRun } from "../store.ts";
import type { TranscriptRow } from "../transcripts/transcript-store.ts";

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

/** Transcripts in the order of their runs' UUIDs, after one of them, each with the output and the number of its run. */
export async function listTranscripts(
  db: Db,
  projectId: string,
  after: string | null,
  limit: number,
): Promise<(TranscriptRow & { output: unknown; seq: number | null })[]> {
  const rows = await db
    .selectFrom("agentTranscripts as t")
    .leftJoin("agentRuns as r", "r.id", "t.runId")
    .select(["t.runId", "t.entries", "t.hash", "t.createdAt", "r.output", "r.seq"])
    .where("t.projectId", "=", projectId)
    .$if(after !== null, (query) => query.where("t.runId", ">", after))
    .orderBy("t.runId")
    .limit(limit)
    .execute();
  return rows as (TranscriptRow & { output: unknown; seq: number | null })[];
}

/** The projects that have transcripts. */
export async function listTranscribedProjectsAcrossProjects(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("agentTranscripts").select("projectId").distinct().execute();
  return rows.map(({ projectId }) => projectId);
}
