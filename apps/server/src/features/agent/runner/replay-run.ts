import { replay } from "@tidings/agent";
import { uuidFor } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { findTranscript } from "../../runs/public.ts";
import type { AgentRun } from "../../runs/schema.ts";

/** Makes a logged decision again from what it was made from, and compares; null for a run that is no decision of Tidings' own agent. */
export async function replayRun(
  db: Db,
  projectId: string,
  run: AgentRun,
): Promise<Awaited<ReturnType<typeof replay>>> {
  const transcript = await findTranscript(db, projectId, uuidFor("run", run.id));
  // A run in no chain came with an import.
  return replay(run, transcript?.entries ?? [], run.chain === null);
}
