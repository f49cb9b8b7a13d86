import type { Db } from "../../../platform/db/db.ts";
import type { TranscriptEntry } from "../schema.ts";

/** `runId` is a UUID. */
export type TranscriptRow = { runId: string; entries: TranscriptEntry[]; hash: string; createdAt: number };

/** Keeps a transcript, of which `json` are the entries; false where the run has one. Waits for a concurrent request of the same run. */
export async function insertTranscript(
  db: Db,
  projectId: string,
  { json, ...row }: Omit<TranscriptRow, "entries"> & { json: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto("agentTranscripts")
    .values({ ...row, projectId, entries: json })
    .onConflict((conflict) => conflict.column("runId").doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** Whether a run (UUID) has a transcript. */
export async function hasTranscript(db: Db, projectId: string, runId: string): Promise<boolean> {
  const row = await db
    .selectFrom("agentTranscripts")
    .select("runId")
    .where("projectId", "=", projectId)
    .where("runId", "=", runId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findTranscript(
  db: Db,
  projectId: string,
  runId: string,
): Promise<TranscriptRow | null> {
  const row = await db
    .selectFrom("agentTranscripts")
    .select(["runId", "entries", "hash", "createdAt"])
    .where("projectId", "=", projectId)
    .where("runId", "=", runId)
    .executeTakeFirst();
  // Only checked entries are written to this column.
  return row === undefined ? null : (row as TranscriptRow);
}
